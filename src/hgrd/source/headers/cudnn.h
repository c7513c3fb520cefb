// Neural network primitives: what the host calls.
#pragma once
#include "hgrd/library.h"
#define CUDNN_MAJOR 8
#define CUDNN_VERSION 8900
typedef enum { CUDNN_STATUS_SUCCESS, CUDNN_STATUS_NOT_INITIALIZED, CUDNN_STATUS_ALLOC_FAILED, CUDNN_STATUS_BAD_PARAM,
               CUDNN_STATUS_INTERNAL_ERROR, CUDNN_STATUS_NOT_SUPPORTED = 9 } cudnnStatus_t;
typedef enum { CUDNN_DATA_FLOAT, CUDNN_DATA_DOUBLE, CUDNN_DATA_HALF, CUDNN_DATA_INT8, CUDNN_DATA_INT32,
               CUDNN_DATA_BFLOAT16 = 9 } cudnnDataType_t;
typedef enum { CUDNN_TENSOR_NCHW, CUDNN_TENSOR_NHWC, CUDNN_TENSOR_NCHW_VECT_C } cudnnTensorFormat_t;
typedef enum { CUDNN_CONVOLUTION, CUDNN_CROSS_CORRELATION } cudnnConvolutionMode_t;
typedef enum { CUDNN_DEFAULT_MATH, CUDNN_TENSOR_OP_MATH, CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION, CUDNN_FMA_MATH
} cudnnMathType_t;
typedef enum { CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
               CUDNN_CONVOLUTION_FWD_ALGO_GEMM, CUDNN_CONVOLUTION_FWD_ALGO_DIRECT, CUDNN_CONVOLUTION_FWD_ALGO_FFT,
               CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING, CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD,
               CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED, CUDNN_CONVOLUTION_FWD_ALGO_COUNT
} cudnnConvolutionFwdAlgo_t;
typedef enum { CUDNN_NOT_PROPAGATE_NAN, CUDNN_PROPAGATE_NAN } cudnnNanPropagation_t;
typedef enum { CUDNN_ACTIVATION_SIGMOID, CUDNN_ACTIVATION_RELU, CUDNN_ACTIVATION_TANH } cudnnActivationMode_t;
typedef enum { CUDNN_POOLING_MAX, CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING } cudnnPoolingMode_t;
typedef enum { CUDNN_SOFTMAX_FAST, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_LOG } cudnnSoftmaxAlgorithm_t;
typedef enum { CUDNN_SOFTMAX_MODE_INSTANCE, CUDNN_SOFTMAX_MODE_CHANNEL } cudnnSoftmaxMode_t;
typedef struct { cudnnConvolutionFwdAlgo_t algo; cudnnStatus_t status; float time; size_t memory; int determinism;
                 cudnnMathType_t mathType; int reserved[3]; } cudnnConvolutionFwdAlgoPerf_t;
__HGRD_OPAQUE(cudnnHandle_t) __HGRD_OPAQUE(cudnnTensorDescriptor_t) __HGRD_OPAQUE(cudnnFilterDescriptor_t)
__HGRD_OPAQUE(cudnnConvolutionDescriptor_t) __HGRD_OPAQUE(cudnnActivationDescriptor_t)
__HGRD_OPAQUE(cudnnPoolingDescriptor_t) __HGRD_OPAQUE(cudnnOpTensorDescriptor_t)
__HGRD_OPAQUE(cudnnReduceTensorDescriptor_t) __HGRD_OPAQUE(cudnnDropoutDescriptor_t) __HGRD_OPAQUE(cudnnRNNDescriptor_t)
#define __HGRD_N(NAME) __HGRD_LIBRARY(cudnnStatus_t, cudnn##NAME)
__HGRD_N(Create) __HGRD_N(Destroy) __HGRD_N(SetStream) __HGRD_N(CreateTensorDescriptor)
__HGRD_N(DestroyTensorDescriptor) __HGRD_N(SetTensor4dDescriptor) __HGRD_N(SetTensorNdDescriptor)
__HGRD_N(SetTensor4dDescriptorEx) __HGRD_N(CreateFilterDescriptor) __HGRD_N(DestroyFilterDescriptor)
__HGRD_N(SetFilter4dDescriptor) __HGRD_N(SetFilterNdDescriptor) __HGRD_N(CreateConvolutionDescriptor)
__HGRD_N(DestroyConvolutionDescriptor) __HGRD_N(SetConvolution2dDescriptor) __HGRD_N(SetConvolutionNdDescriptor)
__HGRD_N(SetConvolutionMathType) __HGRD_N(SetConvolutionGroupCount) __HGRD_N(GetConvolution2dForwardOutputDim)
__HGRD_N(GetConvolutionForwardWorkspaceSize) __HGRD_N(GetConvolutionForwardAlgorithm_v7)
__HGRD_N(FindConvolutionForwardAlgorithm) __HGRD_N(ConvolutionForward) __HGRD_N(ConvolutionBackwardData)
__HGRD_N(ConvolutionBackwardFilter) __HGRD_N(CreateActivationDescriptor) __HGRD_N(SetActivationDescriptor)
__HGRD_N(DestroyActivationDescriptor) __HGRD_N(ActivationForward) __HGRD_N(ActivationBackward) __HGRD_N(AddTensor)
__HGRD_N(CreatePoolingDescriptor) __HGRD_N(SetPooling2dDescriptor) __HGRD_N(DestroyPoolingDescriptor)
__HGRD_N(PoolingForward) __HGRD_N(PoolingBackward) __HGRD_N(SoftmaxForward) __HGRD_N(SoftmaxBackward) __HGRD_N(OpTensor)
__HGRD_N(TransformTensor) __HGRD_N(BatchNormalizationForwardInference) __HGRD_N(BatchNormalizationForwardTraining)
__HGRD_LIBRARY(const char*, cudnnGetErrorString)
#undef __HGRD_N
