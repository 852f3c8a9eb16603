// The functions that libmicrohttpd calls. They are global functions, because a closure in isolated code
// checks its isolation, and a call from C cannot pass this check. `MHD_run` and `MHD_stop_daemon`,
// which call these functions, run on the loop.

internal import CMicroHTTPD
internal import EventLoop

/// Passes a value from a C callback to isolated code on the same thread.
private struct CallbackBox<Value>: @unchecked Sendable {
  // Safety: the pointers are used during the call, or by the exchange as long as libmicrohttpd keeps them,
  // and never on another thread.
  let value: Value
}

/// Runs isolated code from a C callback; the thread must be the loop's.
private func onLoop<R>(_ body: @EventLoop () -> R) -> R {
  EventLoop.shared.preconditionIsolated()
  // Safety: the line above ensures that this thread is the loop's.
  return withoutActuallyEscaping(body) { unsafeBitCast($0, to: (() -> R).self)() }
}

/// Called when a connection has been accepted or is about to be closed.
func changeConnection(
  context: UnsafeMutableRawPointer?,
  connection: OpaquePointer?,
  connectionContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
  change: MHD_ConnectionNotificationCode
) {
  guard let context, let connection else { return }
  let handed = CallbackBox(value: (context: context, connection: connection))
  onLoop {
    let server = Unmanaged<HTTPServer>.fromOpaque(handed.value.context).takeUnretainedValue()
    if change == .CONNECTION_NOTIFY_STARTED {
      server.opened(handed.value.connection)
    } else {
      server.closed(handed.value.connection)
    }
  }
}

/// Called when a request line has been read; returns the context of the request.
func beginExchange(
  context: UnsafeMutableRawPointer?,
  target: UnsafePointer<CChar>?,
  connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
  guard let context, let target, let connection else { return nil }
  let text = String(validatingCString: target)
  let handed = CallbackBox(value: (context: context, connection: connection))
  let exchange = onLoop {
    let server = Unmanaged<HTTPServer>.fromOpaque(handed.value.context).takeUnretainedValue()
    let begun = HTTPExchange(server: server, connection: handed.value.connection, target: text)
    server.begin(begun)
    return CallbackBox(value: Unmanaged.passRetained(begun).toOpaque())
  }
  return exchange.value
}

/// Called after the headers, for each part of the body, at its end, and after the connection is resumed.
func handleExchange(
  context: UnsafeMutableRawPointer?,
  connection: OpaquePointer?,
  url: UnsafePointer<CChar>?,
  method: UnsafePointer<CChar>?,
  version: UnsafePointer<CChar>?,
  part: UnsafePointer<CChar>?,
  partSize: UnsafeMutablePointer<Int>?,
  request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let exchange = request?.pointee, let partSize, let method else { return .NO }
  let methodText = String(cString: method)
  let bytes = UnsafeRawBufferPointer(start: part, count: part == nil ? 0 : partSize.pointee)
  let handed = CallbackBox(value: (exchange: exchange, part: bytes))
  let result = onLoop {
    Unmanaged<HTTPExchange>.fromOpaque(handed.value.exchange).takeUnretainedValue()
      .proceed(method: methodText, part: handed.value.part)
  }
  partSize.pointee = 0
  return result
}

/// Called when the request has ended; releases its context.
func completeExchange(
  context: UnsafeMutableRawPointer?,
  connection: OpaquePointer?,
  request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
  reason: MHD_RequestTerminationCode
) {
  guard let exchange = request?.pointee else { return }
  request?.pointee = nil
  let handed = CallbackBox(value: exchange)
  onLoop { Unmanaged<HTTPExchange>.fromOpaque(handed.value).takeRetainedValue().complete() }
}

/// Adds a header field of a request to the `HTTPHeaders` that the context points to.
func collectHeader(
  context: UnsafeMutableRawPointer?,
  kind: MHD_ValueKind,
  name: UnsafePointer<CChar>?,
  value: UnsafePointer<CChar>?
) -> MHD_Result {
  guard let context, let name else { return .NO }
  let text = value.map { String(cString: $0) } ?? ""
  context.assumingMemoryBound(to: HTTPHeaders.self).pointee.add(String(cString: name), text)
  return .YES
}
