package import CourierProtocol
internal import EventLoop

/// Carries one request to where it goes, by the courier or, where something is tried out, by what stands for it.
///
/// It takes the request, so that nobody keeps what was sent while a poll waits for its response.
package typealias CourierExchange =
  @EventLoop (consuming CourierRequest) async throws(CourierFailure) -> CourierResponse
