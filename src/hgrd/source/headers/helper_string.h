// Command lines, as NVIDIA's samples read them.
#pragma once
#include <stdlib.h>
#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#ifdef __cplusplus
extern bool checkCmdLineFlag(int count, const char** arguments, const char* name);
extern int getCmdLineArgumentInt(int count, const char** arguments, const char* name);
extern float getCmdLineArgumentFloat(int count, const char** arguments, const char* name);
extern bool getCmdLineArgumentString(int count, const char** arguments, const char* name, char** value);
template <class T> bool getCmdLineArgumentValue(int count, const char** arguments, const char* name, T* value);
extern char* sdkFindFilePath(const char* name, const char* executable);
#endif
