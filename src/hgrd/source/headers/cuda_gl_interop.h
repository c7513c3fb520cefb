// Sharing buffers with OpenGL.
#pragma once
#include "hgrd/library.h"
typedef unsigned GLuint;
typedef unsigned GLenum;
#define __HGRD_GL(NAME) __HGRD_LIBRARY(cudaError_t, NAME)
__HGRD_C cudaError_t cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource** resource, GLuint buffer, unsigned flags);
__HGRD_C cudaError_t cudaGraphicsGLRegisterImage(struct cudaGraphicsResource** resource, GLuint image, GLenum target,
                                                 unsigned flags);
__HGRD_GL(cudaGLSetGLDevice) __HGRD_GL(cudaGLRegisterBufferObject) __HGRD_GL(cudaGLUnregisterBufferObject)
__HGRD_C cudaError_t cudaGLMapBufferObject(void** pointer, GLuint buffer);
__HGRD_GL(cudaGLUnmapBufferObject) __HGRD_GL(cudaGLGetDevices)
#undef __HGRD_GL
