package import CourierProtocol
internal import EventLoop

/// Carries one request to where it goes, by the courier or, where something is tried out, by what stands for it.
package typealias CourierExchange =
  @EventLoop (CourierRequest) async throws(CourierFailure) -> CourierResponse
