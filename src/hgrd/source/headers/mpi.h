// MPI: what the host calls.  Not part of CUDA, but of many programs that use it.
#pragma once
#include <stddef.h>
#ifdef __cplusplus
#define __HGRD_MPI(NAME) template <class... T> int MPI_##NAME(T... arguments);
#else
#define __HGRD_MPI(NAME) extern int MPI_##NAME();
#endif
typedef struct __hgrd_mpi_comm* MPI_Comm;
typedef struct __hgrd_mpi_datatype* MPI_Datatype;
typedef struct __hgrd_mpi_op* MPI_Op;
typedef struct __hgrd_mpi_request* MPI_Request;
typedef struct __hgrd_mpi_group* MPI_Group;
typedef struct __hgrd_mpi_info* MPI_Info;
typedef struct __hgrd_mpi_win* MPI_Win;
typedef struct __hgrd_mpi_file* MPI_File;
typedef struct __hgrd_mpi_errhandler* MPI_Errhandler;
typedef ptrdiff_t MPI_Aint;
typedef long long MPI_Offset;
typedef struct MPI_Status { int MPI_SOURCE, MPI_TAG, MPI_ERROR, count; } MPI_Status;
typedef void MPI_User_function(void*, void*, int*, MPI_Datatype*);
extern MPI_Comm MPI_COMM_WORLD, MPI_COMM_SELF, MPI_COMM_NULL;
extern MPI_Datatype MPI_CHAR, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_BYTE, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_INT,
    MPI_UNSIGNED, MPI_LONG, MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_LONG_LONG_INT, MPI_UNSIGNED_LONG_LONG, MPI_FLOAT,
    MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_INT32_T, MPI_INT64_T, MPI_UINT32_T, MPI_UINT64_T, MPI_UINT8_T, MPI_C_BOOL,
    MPI_DOUBLE_INT, MPI_FLOAT_INT, MPI_2INT, MPI_PACKED, MPI_DATATYPE_NULL;
extern MPI_Op MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_LAND, MPI_LOR, MPI_BAND, MPI_BOR, MPI_MAXLOC, MPI_MINLOC;
extern MPI_Request MPI_REQUEST_NULL;
extern MPI_Info MPI_INFO_NULL;
#define MPI_IN_PLACE ((void*)1)
#define MPI_BOTTOM ((void*)0)
#define MPI_STATUS_IGNORE ((MPI_Status*)0)
#define MPI_STATUSES_IGNORE ((MPI_Status*)0)
enum __hgrd_mpi { MPI_SUCCESS = 0, MPI_ANY_SOURCE = -1, MPI_ANY_TAG = -1, MPI_PROC_NULL = -2, MPI_UNDEFINED = -3,
                  MPI_MAX_PROCESSOR_NAME = 256, MPI_MAX_ERROR_STRING = 256, MPI_THREAD_SINGLE = 0,
                  MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE, MPI_COMM_TYPE_SHARED = 0 };
#ifdef __cplusplus
extern "C" {
#endif
double MPI_Wtime(void);
double MPI_Wtick(void);
int MPI_Comm_rank(MPI_Comm comm, int* rank);
int MPI_Comm_size(MPI_Comm comm, int* size);
#ifdef __cplusplus
}
#endif
__HGRD_MPI(Init) __HGRD_MPI(Init_thread) __HGRD_MPI(Initialized) __HGRD_MPI(Finalize) __HGRD_MPI(Finalized)
__HGRD_MPI(Abort) __HGRD_MPI(Barrier) __HGRD_MPI(Bcast) __HGRD_MPI(Ibcast) __HGRD_MPI(Send) __HGRD_MPI(Recv)
__HGRD_MPI(Isend) __HGRD_MPI(Irecv) __HGRD_MPI(Ssend) __HGRD_MPI(Bsend) __HGRD_MPI(Rsend) __HGRD_MPI(Issend)
__HGRD_MPI(Sendrecv) __HGRD_MPI(Sendrecv_replace) __HGRD_MPI(Wait) __HGRD_MPI(Waitall) __HGRD_MPI(Waitany)
__HGRD_MPI(Waitsome) __HGRD_MPI(Test) __HGRD_MPI(Testall) __HGRD_MPI(Probe) __HGRD_MPI(Iprobe) __HGRD_MPI(Get_count)
__HGRD_MPI(Reduce) __HGRD_MPI(Allreduce) __HGRD_MPI(Iallreduce) __HGRD_MPI(Scan) __HGRD_MPI(Exscan) __HGRD_MPI(Gather)
__HGRD_MPI(Gatherv) __HGRD_MPI(Allgather) __HGRD_MPI(Allgatherv) __HGRD_MPI(Scatter) __HGRD_MPI(Scatterv)
__HGRD_MPI(Alltoall) __HGRD_MPI(Alltoallv) __HGRD_MPI(Reduce_scatter) __HGRD_MPI(Comm_split)
__HGRD_MPI(Comm_split_type) __HGRD_MPI(Comm_dup) __HGRD_MPI(Comm_free) __HGRD_MPI(Comm_group) __HGRD_MPI(Comm_create)
__HGRD_MPI(Group_incl) __HGRD_MPI(Group_free) __HGRD_MPI(Cart_create) __HGRD_MPI(Cart_coords) __HGRD_MPI(Cart_rank)
__HGRD_MPI(Cart_shift) __HGRD_MPI(Cart_sub) __HGRD_MPI(Dims_create) __HGRD_MPI(Type_contiguous)
__HGRD_MPI(Type_vector) __HGRD_MPI(Type_create_struct) __HGRD_MPI(Type_indexed) __HGRD_MPI(Type_commit)
__HGRD_MPI(Type_free) __HGRD_MPI(Type_size) __HGRD_MPI(Get_address) __HGRD_MPI(Get_processor_name)
__HGRD_MPI(Error_string) __HGRD_MPI(Op_create) __HGRD_MPI(Op_free) __HGRD_MPI(Request_free) __HGRD_MPI(Pack)
__HGRD_MPI(Unpack) __HGRD_MPI(Comm_set_errhandler) __HGRD_MPI(Get_version) __HGRD_MPI(Info_create)
#undef __HGRD_MPI
