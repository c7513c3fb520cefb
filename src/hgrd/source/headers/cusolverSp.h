#pragma once
#include "cusolverDn.h"
__HGRD_OPAQUE(cusolverSpHandle_t) __HGRD_OPAQUE(csrqrInfo_t) __HGRD_OPAQUE(csrluInfoHost_t)
__HGRD_OPAQUE(csrqrInfoHost_t) __HGRD_OPAQUE(csrcholInfoHost_t) __HGRD_OPAQUE(csrcholInfo_t)
#define __HGRD_P(NAME) __HGRD_LIBRARY(cusolverStatus_t, cusolverSp##NAME)
#define __HGRD_P2(NAME) __HGRD_P(S##NAME) __HGRD_P(D##NAME) __HGRD_P(S##NAME##Host) __HGRD_P(D##NAME##Host)
#define __HGRD_PX(NAME) __HGRD_P(NAME) __HGRD_P(NAME##Host)
__HGRD_P(Create) __HGRD_P(Destroy) __HGRD_P(SetStream) __HGRD_P2(csrlsvqr) __HGRD_P2(csrlsvlu) __HGRD_P2(csrlsvchol)
__HGRD_P2(csrqrSetup) __HGRD_P2(csrqrFactor) __HGRD_P2(csrqrSolve) __HGRD_P2(csrqrZeroPivot)
__HGRD_P2(csrqrBufferInfo) __HGRD_P2(csrluFactor) __HGRD_P2(csrluSolve) __HGRD_P2(csrluZeroPivot)
__HGRD_P2(csrluExtract) __HGRD_P2(csrluBufferInfo) __HGRD_P2(csrcholFactor) __HGRD_P2(csrcholSolve)
__HGRD_P2(csrcholZeroPivot) __HGRD_P2(csrcholBufferInfo) __HGRD_PX(Xcsrissym) __HGRD_PX(Xcsrsymrcm)
__HGRD_PX(Xcsrsymamd) __HGRD_PX(Xcsrmetisnd) __HGRD_PX(Xcsrperm) __HGRD_PX(Xcsrperm_bufferSize)
__HGRD_PX(XcsrqrAnalysis) __HGRD_PX(XcsrluAnalysis) __HGRD_PX(XcsrcholAnalysis) __HGRD_PX(XcsrluNnz)
__HGRD_PX(CreateCsrqrInfo) __HGRD_PX(DestroyCsrqrInfo) __HGRD_PX(CreateCsrluInfo) __HGRD_PX(DestroyCsrluInfo)
__HGRD_PX(CreateCsrcholInfo) __HGRD_PX(DestroyCsrcholInfo) __HGRD_P(Xcsrsymmdq)
#undef __HGRD_P
#undef __HGRD_P2
#undef __HGRD_PX
