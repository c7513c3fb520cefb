// Timers, as NVIDIA's samples have them.
#pragma once
#ifdef __cplusplus
class StopWatchInterface {
public:
    virtual ~StopWatchInterface();
    virtual void start() = 0;
    virtual void stop() = 0;
    virtual void reset() = 0;
    virtual float getTime() = 0;
    virtual float getAverageTime() = 0;
};
extern bool sdkCreateTimer(StopWatchInterface** timer);
extern bool sdkDeleteTimer(StopWatchInterface** timer);
extern bool sdkStartTimer(StopWatchInterface** timer);
extern bool sdkStopTimer(StopWatchInterface** timer);
extern bool sdkResetTimer(StopWatchInterface** timer);
extern float sdkGetAverageTimerValue(StopWatchInterface** timer);
extern float sdkGetTimerValue(StopWatchInterface** timer);
#endif
