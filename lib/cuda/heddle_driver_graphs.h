/* Graphs of CUDA's driver interface: types, and the functions of version 12. */
#ifndef HEDDLE_CUDA_DRIVER_GRAPHS_H
#define HEDDLE_CUDA_DRIVER_GRAPHS_H

typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUuserObject_st *CUuserObject;
typedef uint64_t cuuint64_t;
typedef unsigned long long CUgraphConditionalHandle;

typedef enum CUgraphNodeType_enum {
	CU_GRAPH_NODE_TYPE_KERNEL = 0, CU_GRAPH_NODE_TYPE_MEMCPY, CU_GRAPH_NODE_TYPE_MEMSET, CU_GRAPH_NODE_TYPE_HOST,
	CU_GRAPH_NODE_TYPE_GRAPH, CU_GRAPH_NODE_TYPE_EMPTY, CU_GRAPH_NODE_TYPE_WAIT_EVENT, CU_GRAPH_NODE_TYPE_EVENT_RECORD,
	CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL, CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT, CU_GRAPH_NODE_TYPE_MEM_ALLOC,
	CU_GRAPH_NODE_TYPE_MEM_FREE, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, CU_GRAPH_NODE_TYPE_CONDITIONAL,
} CUgraphNodeType;
typedef enum CUgraphExecUpdateResult_enum {
	CU_GRAPH_EXEC_UPDATE_SUCCESS = 0, CU_GRAPH_EXEC_UPDATE_ERROR, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED,
	CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED,
	CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED,
	CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE, CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED,
} CUgraphExecUpdateResult;
typedef enum CUgraphInstantiateResult_enum {
	CUDA_GRAPH_INSTANTIATE_SUCCESS = 0, CUDA_GRAPH_INSTANTIATE_ERROR, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE,
	CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED, CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED,
	CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED,
} CUgraphInstantiateResult;
typedef enum CUgraphInstantiate_flags_enum {
	CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH = 1, CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD,
	CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH = 4, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY = 8,
} CUgraphInstantiate_flags;
typedef enum CUgraphMem_attribute_enum {
	CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT,
	CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH,
} CUgraphMem_attribute;
typedef enum CUgraphChildGraphNodeOwnership_enum {
	CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE = 0, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE,
} CUgraphChildGraphNodeOwnership;
typedef enum CUstreamUpdateCaptureDependencies_flags_enum {
	CU_STREAM_ADD_CAPTURE_DEPENDENCIES = 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES,
} CUstreamUpdateCaptureDependencies_flags;
typedef enum CUuserObject_flags_enum { CU_USER_OBJECT_NO_DESTRUCTOR_SYNC = 1 } CUuserObject_flags;
typedef enum CUuserObjectRetain_flags_enum { CU_GRAPH_USER_OBJECT_MOVE = 1 } CUuserObjectRetain_flags;

typedef struct CUgraphEdgeData_st {
	unsigned char from_port, to_port, type, reserved[5];
} CUgraphEdgeData;
typedef struct CUDA_KERNEL_NODE_PARAMS_st {
	CUfunction func;
	unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
	void **kernelParams, **extra;
} CUDA_KERNEL_NODE_PARAMS_v1;
typedef struct CUDA_KERNEL_NODE_PARAMS_v2_st {
	CUfunction func;
	unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
	void **kernelParams, **extra;
	CUkernel kern;
	CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS;
typedef struct CUDA_MEMSET_NODE_PARAMS_st {
	CUdeviceptr dst;
	size_t pitch;
	unsigned int value, elementSize;
	size_t width, height;
} CUDA_MEMSET_NODE_PARAMS;
typedef struct CUDA_MEMSET_NODE_PARAMS_v2_st {
	CUdeviceptr dst;
	size_t pitch;
	unsigned int value, elementSize;
	size_t width, height;
	CUcontext ctx;
} CUDA_MEMSET_NODE_PARAMS_v2;
typedef struct CUDA_HOST_NODE_PARAMS_st {
	CUhostFn fn;
	void *userData;
} CUDA_HOST_NODE_PARAMS;
typedef struct CUDA_MEMCPY_NODE_PARAMS_st {
	int flags, reserved;
	CUcontext copyCtx;
	CUDA_MEMCPY3D copyParams;
} CUDA_MEMCPY_NODE_PARAMS;
typedef struct CUDA_MEM_ALLOC_NODE_PARAMS_v1_st {
	CUmemPoolProps poolProps;
	const CUmemAccessDesc *accessDescs;
	size_t accessDescCount, bytesize;
	CUdeviceptr dptr;
} CUDA_MEM_ALLOC_NODE_PARAMS;
typedef struct CUDA_CHILD_GRAPH_NODE_PARAMS_st {
	CUgraph graph;
	CUgraphChildGraphNodeOwnership ownership;
} CUDA_CHILD_GRAPH_NODE_PARAMS;
typedef struct CUDA_EVENT_NODE_PARAMS_st {
	CUevent event;
} CUDA_EVENT_RECORD_NODE_PARAMS, CUDA_EVENT_WAIT_NODE_PARAMS;
typedef struct CUDA_MEM_FREE_NODE_PARAMS_st {
	CUdeviceptr dptr;
} CUDA_MEM_FREE_NODE_PARAMS;
typedef struct CUgraphNodeParams_st {
	CUgraphNodeType type;
	int reserved0[3];
	union {
		long long reserved1[29];
		CUDA_KERNEL_NODE_PARAMS kernel;
		CUDA_MEMCPY_NODE_PARAMS memcpy;
		CUDA_MEMSET_NODE_PARAMS_v2 memset;
		CUDA_HOST_NODE_PARAMS host;
		CUDA_CHILD_GRAPH_NODE_PARAMS graph;
		CUDA_EVENT_WAIT_NODE_PARAMS eventWait;
		CUDA_EVENT_RECORD_NODE_PARAMS eventRecord;
		CUDA_MEM_ALLOC_NODE_PARAMS alloc;
		CUDA_MEM_FREE_NODE_PARAMS free;
	};
	long long reserved2;
} CUgraphNodeParams;
typedef struct CUgraphExecUpdateResultInfo_st {
	CUgraphExecUpdateResult result;
	CUgraphNode errorNode, errorFromNode;
} CUgraphExecUpdateResultInfo;
typedef struct CUDA_GRAPH_INSTANTIATE_PARAMS_st {
	cuuint64_t flags;
	CUstream hUploadStream;
	CUgraphNode hErrNode_out;
	CUgraphInstantiateResult result_out;
} CUDA_GRAPH_INSTANTIATE_PARAMS;

/* -- captures -------------------------------------------------------------------------------------------------------------------------------- */
#define cuStreamBeginCapture cuStreamBeginCapture_v2
CUresult cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode __mode);
CUresult cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph __hGraph, const CUgraphNode *__dependencies, const CUgraphEdgeData *__dependencyData,
                                     size_t __numDependencies, CUstreamCaptureMode __mode);
CUresult cuStreamEndCapture(CUstream hStream, CUgraph *__phGraph);
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *__mode);
#define cuStreamGetCaptureInfo cuStreamGetCaptureInfo_v2
CUresult cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *__captureStatus_out, cuuint64_t *__id_out, CUgraph *__graph_out,
                                   const CUgraphNode **__dependencies_out, size_t *__numDependencies_out);
CUresult cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *__captureStatus_out, cuuint64_t *__id_out, CUgraph *__graph_out,
                                   const CUgraphNode **__dependencies_out, const CUgraphEdgeData **__edgeData_out, size_t *__numDependencies_out);
CUresult cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode *__dependencies, size_t __numDependencies, unsigned int flags);

/* -- graphs ---------------------------------------------------------------------------------------------------------------------------------- */
CUresult cuGraphCreate(CUgraph *__phGraph, unsigned int flags);
CUresult cuGraphDestroy(CUgraph __hGraph);
CUresult cuGraphDestroyNode(CUgraphNode __hNode);
CUresult cuGraphClone(CUgraph *__phGraphClone, CUgraph __originalGraph);
CUresult cuGraphNodeFindInClone(CUgraphNode *__phNode, CUgraphNode __hOriginalNode, CUgraph __hClonedGraph);
CUresult cuGraphNodeGetType(CUgraphNode __hNode, CUgraphNodeType *type);
CUresult cuGraphGetNodes(CUgraph __hGraph, CUgraphNode *__nodes, size_t *__numNodes);
CUresult cuGraphGetRootNodes(CUgraph __hGraph, CUgraphNode *__rootNodes, size_t *__numRootNodes);
CUresult cuGraphGetEdges(CUgraph __hGraph, CUgraphNode *__from, CUgraphNode *__to, size_t *__numEdges);
CUresult cuGraphGetEdges_v2(CUgraph __hGraph, CUgraphNode *__from, CUgraphNode *__to, CUgraphEdgeData *__edgeData, size_t *__numEdges);
CUresult cuGraphNodeGetDependencies(CUgraphNode __hNode, CUgraphNode *__dependencies, size_t *__numDependencies);
CUresult cuGraphNodeGetDependentNodes(CUgraphNode __hNode, CUgraphNode *__dependentNodes, size_t *__numDependentNodes);
CUresult cuGraphAddDependencies(CUgraph __hGraph, const CUgraphNode *__from, const CUgraphNode *__to, size_t __numDependencies);
CUresult cuGraphAddDependencies_v2(CUgraph __hGraph, const CUgraphNode *__from, const CUgraphNode *__to, const CUgraphEdgeData *__edgeData,
                                   size_t __numDependencies);
CUresult cuGraphRemoveDependencies(CUgraph __hGraph, const CUgraphNode *__from, const CUgraphNode *__to, size_t __numDependencies);
CUresult cuGraphDebugDotPrint(CUgraph __hGraph, const char *__path, unsigned int flags);
#define cuGraphAddKernelNode cuGraphAddKernelNode_v2
CUresult cuGraphAddKernelNode_v2(CUgraphNode *__phGraphNode, CUgraph __hGraph, const CUgraphNode *__dependencies, size_t __numDependencies,
                                 const CUDA_KERNEL_NODE_PARAMS *__nodeParams);
#define cuGraphKernelNodeGetParams cuGraphKernelNodeGetParams_v2
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode __hNode, CUDA_KERNEL_NODE_PARAMS *__nodeParams);
#define cuGraphKernelNodeSetParams cuGraphKernelNodeSetParams_v2
CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode __hNode, const CUDA_KERNEL_NODE_PARAMS *__nodeParams);
CUresult cuGraphAddMemcpyNode(CUgraphNode *__phGraphNode, CUgraph __hGraph, const CUgraphNode *__dependencies, size_t __numDependencies,
                              const CUDA_MEMCPY3D *copyParams, CUcontext ctx);
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode __hNode, CUDA_MEMCPY3D *__nodeParams);
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode __hNode, const CUDA_MEMCPY3D *__nodeParams);
CUresult cuGraphAddMemsetNode(CUgraphNode *__phGraphNode, CUgraph __hGraph, const CUgraphNode *__dependencies, size_t __numDependencies,
                              const CUDA_MEMSET_NODE_PARAMS *__memsetParams, CUcontext ctx);
CUresult cuGraphMemsetNodeGetParams(CUgraphNode __hNode, CUDA_MEMSET_NODE_PARAMS *__nodeParams);
CUresult cuGraphMemsetNodeSetParams(CUgraphNode __hNode, const CUDA_MEMSET_NODE_PARAMS *__nodeParams);
CUresult cuGraphAddHostNode(CUgraphNode *__phGraphNode, CUgraph __hGraph, const CUgraphNode *__dependencies, size_t __numDependencies,
                            const CUDA_HOST_NODE_PARAMS *__nodeParams);
CUresult cuGraphHostNodeGetParams(CUgraphNode __hNode, CUDA_HOST_NODE_PARAMS *__nodeParams);
CUresult cuGraphHostNodeSetParams(CUgraphNode __hNode, const CUDA_HOST_NODE_PARAMS *__nodeParams);
CUresult cuGraphAddChildGraphNode(CUgraphNode *__phGraphNode, CUgraph __hGraph, const CUgraphNode *__dependencies, size_t __numDependencies,
                                  CUgraph __childGraph);
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode __hNode, CUgraph *__phGraph);
CUresult cuGraphAddEmptyNode(CUgraphNode *__phGraphNode, CUgraph __hGraph, const CUgraphNode *__dependencies, size_t __numDependencies);
CUresult cuGraphAddEventRecordNode(CUgraphNode *__phGraphNode, CUgraph __hGraph, const CUgraphNode *__dependencies, size_t __numDependencies,
                                   CUevent event);
CUresult cuGraphAddEventWaitNode(CUgraphNode *__phGraphNode, CUgraph __hGraph, const CUgraphNode *__dependencies, size_t __numDependencies,
                                 CUevent event);
CUresult cuGraphAddMemAllocNode(CUgraphNode *__phGraphNode, CUgraph __hGraph, const CUgraphNode *__dependencies, size_t __numDependencies,
                                CUDA_MEM_ALLOC_NODE_PARAMS *__nodeParams);
CUresult cuGraphAddMemFreeNode(CUgraphNode *__phGraphNode, CUgraph __hGraph, const CUgraphNode *__dependencies, size_t __numDependencies,
                               CUdeviceptr dptr);
CUresult cuGraphAddNode(CUgraphNode *__phGraphNode, CUgraph __hGraph, const CUgraphNode *__dependencies, size_t __numDependencies,
                        CUgraphNodeParams *__nodeParams);
CUresult cuDeviceGetGraphMemAttribute(CUdevice __device, CUgraphMem_attribute __attr, void *value);
CUresult cuDeviceGraphMemTrim(CUdevice __device);

/* -- executable graphs ------------------------------------------------------------------------------------------------------------------------ */
#define cuGraphInstantiate cuGraphInstantiateWithFlags
CUresult cuGraphInstantiateWithFlags(CUgraphExec *__phGraphExec, CUgraph __hGraph, unsigned long long flags);
CUresult cuGraphInstantiateWithParams(CUgraphExec *__phGraphExec, CUgraph __hGraph, CUDA_GRAPH_INSTANTIATE_PARAMS *__instantiateParams);
CUresult cuGraphExecGetFlags(CUgraphExec __hGraphExec, cuuint64_t *flags);
#define cuGraphExecKernelNodeSetParams cuGraphExecKernelNodeSetParams_v2
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec __hGraphExec, CUgraphNode __hNode, const CUDA_KERNEL_NODE_PARAMS *__nodeParams);
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec __hGraphExec, CUgraphNode __hNode, const CUDA_MEMCPY3D *copyParams, CUcontext ctx);
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec __hGraphExec, CUgraphNode __hNode, const CUDA_MEMSET_NODE_PARAMS *__memsetParams, CUcontext ctx);
CUresult cuGraphExecHostNodeSetParams(CUgraphExec __hGraphExec, CUgraphNode __hNode, const CUDA_HOST_NODE_PARAMS *__nodeParams);
CUresult cuGraphNodeSetEnabled(CUgraphExec __hGraphExec, CUgraphNode __hNode, unsigned int __isEnabled);
CUresult cuGraphNodeGetEnabled(CUgraphExec __hGraphExec, CUgraphNode __hNode, unsigned int *__isEnabled);
#define cuGraphExecUpdate cuGraphExecUpdate_v2
CUresult cuGraphExecUpdate_v2(CUgraphExec __hGraphExec, CUgraph __hGraph, CUgraphExecUpdateResultInfo *__resultInfo);
CUresult cuGraphUpload(CUgraphExec __hGraphExec, CUstream hStream);
CUresult cuGraphLaunch(CUgraphExec __hGraphExec, CUstream hStream);
CUresult cuGraphExecDestroy(CUgraphExec __hGraphExec);
CUresult cuUserObjectCreate(CUuserObject *__object_out, void *__ptr, CUhostFn __destroy, unsigned int __initialRefcount, unsigned int flags);
CUresult cuUserObjectRetain(CUuserObject __object, unsigned int __count);
CUresult cuUserObjectRelease(CUuserObject __object, unsigned int __count);
CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject __object, unsigned int __count, unsigned int flags);
CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject __object, unsigned int __count);

#endif
