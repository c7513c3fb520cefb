// Management of devices: what the host asks.
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
typedef struct nvmlDevice_st* nvmlDevice_t;
typedef enum nvmlReturn_enum { NVML_SUCCESS = 0, NVML_ERROR_UNINITIALIZED = 1, NVML_ERROR_NOT_SUPPORTED = 3 } nvmlReturn_t;
typedef enum nvmlClockType_enum { NVML_CLOCK_GRAPHICS = 0, NVML_CLOCK_SM = 1, NVML_CLOCK_MEM = 2 } nvmlClockType_t;
typedef enum nvmlTemperatureSensors_enum { NVML_TEMPERATURE_GPU = 0 } nvmlTemperatureSensors_t;
typedef struct nvmlMemory_st { unsigned long long total, free, used; } nvmlMemory_t;
typedef struct nvmlUtilization_st { unsigned gpu, memory; } nvmlUtilization_t;
nvmlReturn_t nvmlInit(void);
nvmlReturn_t nvmlInit_v2(void);
nvmlReturn_t nvmlShutdown(void);
const char* nvmlErrorString(nvmlReturn_t);
nvmlReturn_t nvmlDeviceGetCount(unsigned*);
nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned, nvmlDevice_t*);
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned, nvmlDevice_t*);
nvmlReturn_t nvmlDeviceGetHandleByUUID(const char*, nvmlDevice_t*);
nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t, char*, unsigned);
nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t, char*, unsigned);
nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t, nvmlMemory_t*);
nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t, nvmlUtilization_t*);
nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t, unsigned*);
nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t, unsigned long long*);
nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t, nvmlTemperatureSensors_t, unsigned*);
nvmlReturn_t nvmlDeviceGetFanSpeed(nvmlDevice_t, unsigned*);
nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t, nvmlClockType_t, unsigned*);
nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t, nvmlClockType_t, unsigned*);
nvmlReturn_t nvmlDeviceSetPersistenceMode(nvmlDevice_t, unsigned);
nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t, unsigned long long*);
#ifdef __cplusplus
}
#endif
