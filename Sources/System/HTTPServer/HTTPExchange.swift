internal import CMicroHTTPD
internal import EventLoop
internal import Glibc

/// One request and its response on a connection of libmicrohttpd.
@EventLoop
final class HTTPExchange {
  private enum State {
    case receiving
    case tooLarge
    case running
    case finished(HTTPReply)
  }

  private let server: HTTPServer
  private let connection: OpaquePointer
  private let target: String?
  private var state = State.receiving
  private var isKnown = false
  private var body: [UInt8] = []
  private var task: Task<Void, Never>?
  private var watch: Watch?

  /// EPOLLRDHUP, which Swift's Glibc module lacks: the client has shut down its sending side.
  private static let halfClosed: UInt32 = 0x2000
  /// Maximum number of bytes that are read of a body; the connection of a larger body is dropped.
  ///
  /// A body between `limits.body` and this size is read to its end, so that the client gets the status 413.
  private var patience: Int { 8 * server.limits.body }

  init(server: HTTPServer, connection: OpaquePointer, target: String?) {
    self.server = server
    self.connection = connection
    self.target = target
  }

  /// Handles libmicrohttpd's calls for this request: after the headers, for each part of the body, at its
  /// end, and after the connection is resumed.
  func proceed(method: String, part: UnsafeRawBufferPointer) -> MHD_Result {
    switch state {
    case .receiving, .tooLarge:
      if !isKnown {
        isKnown = true
        return headersArrived()
      }
      return part.isEmpty ? bodyArrived(method: method) : append(part)
    case .running: return .YES
    case .finished(let reply): return send(reply)
    }
  }

  private func headersArrived() -> MHD_Result {
    let length = headers["content-length"].flatMap { Int($0) } ?? 0
    guard length > server.limits.body else { return .YES }
    return send(.response(HTTPResponse(status: 413)))
  }

  private func append(_ part: UnsafeRawBufferPointer) -> MHD_Result {
    body.append(contentsOf: part)
    guard body.count > server.limits.body else { return .YES }
    state = .tooLarge
    return body.count > patience ? .NO : .YES
  }

  private func bodyArrived(method: String) -> MHD_Result {
    guard !server.isStopping else { return .NO }
    if case .tooLarge = state { return send(.response(HTTPResponse(status: 413))) }
    guard let target else { return send(.response(HTTPResponse(status: 400))) }
    let request = HTTPRequest(method: method, target: target, headers: headers, body: body)
    body = []
    state = .running
    MHD_suspend_connection(connection)
    // libmicrohttpd ignores suspended connections, so this watch detects that the client has disconnected.
    let goneAway = Interest(rawValue: Self.halfClosed)
    watch = try? EventLoop.watch(cmicrohttpd_socket(connection), for: goneAway) { [weak self] _ in
      self?.watch?.cancel()
      self?.task?.cancel()
    }
    task = server.start(self, with: request)
    return .YES
  }

  /// Sends the reply; does nothing if the request has ended.
  func finish(_ reply: HTTPReply) {
    guard case .running = state else { return }
    state = .finished(reply)
    watch?.cancel()
    MHD_resume_connection(connection)
  }

  /// Called when the request has ended in any way; the connection may then be freed.
  func complete() {
    task?.cancel()
    watch?.cancel()
    server.end(self)
  }

  private func send(_ reply: HTTPReply) -> MHD_Result {
    switch reply {
    case .response(let response): return queue(response)
    case .dropConnection: return .NO
    case .rawBytes(let bytes):
      _ = bytes.withUnsafeBytes {
        Glibc.send(cmicrohttpd_socket(connection), $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      return .NO
    }
  }

  private func queue(_ response: HTTPResponse) -> MHD_Result {
    var body = response.body
    let raw = body.withUnsafeMutableBytes {
      MHD_create_response_from_buffer($0.count, $0.baseAddress, .RESPMEM_MUST_COPY)
    }
    guard let raw else { return .NO }
    defer { MHD_destroy_response(raw) }
    for (name, value) in response.headers.fields { MHD_add_response_header(raw, name, value) }
    return MHD_queue_response(connection, UInt32(clamping: response.status), raw)
  }

  private var headers: HTTPHeaders {
    var headers = HTTPHeaders()
    withUnsafeMutablePointer(to: &headers) {
      _ = MHD_get_connection_values(connection, .HEADER_KIND, collectHeader, $0)
    }
    return headers
  }
}
