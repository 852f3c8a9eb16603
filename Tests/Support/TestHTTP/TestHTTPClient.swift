package import EventLoop
import Glibc
package import SystemCalls

/// A response as tests examine it.
package struct TestHTTPAnswer: Sendable {
  /// The status code; 0 if the received data is not HTTP.
  package var status = 0
  /// The header fields, names in lower case.
  package var headers: [(name: String, value: String)] = []
  /// The content.
  package var body: [UInt8] = []
  /// All received bytes.
  package var raw: [UInt8] = []

  /// The content as text.
  package var text: String { String(decoding: body, as: UTF8.self) }

  /// The value of the first field of that name.
  package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// A client for one request at a time on the loop of the test process.
@EventLoop
package final class TestHTTPClient {
  private let socket: Int32
  private var received: [UInt8] = []
  private var watch: Watch?
  private var waiting: CheckedContinuation<Void, Never>?
  private var isOver = false

  /// Connects to a server on this machine.
  package init(port: UInt16) throws(SystemError) {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let socket = socket
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw SystemError("connect") }
    guard fcntl(socket, F_SETFL, O_NONBLOCK) == 0 else { throw SystemError("fcntl") }
    watch = try EventLoop.watch(socket, for: .readable) { [weak self] _ in self?.read() }
  }

  isolated deinit { end() }

  /// Sends a request and waits for the complete response.
  package static func send(
    _ method: String,
    _ target: String,
    port: UInt16,
    headers: [(String, String)] = [],
    body: [UInt8] = []
  ) async throws -> TestHTTPAnswer {
    let client = try TestHTTPClient(port: port)
    var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    if !body.isEmpty || method == "POST" || method == "PUT" { head += "Content-Length: \(body.count)\r\n" }
    try await client.write(Array((head + "\r\n").utf8) + body)
    return await client.answer()
  }

  /// Sends bytes as they are.
  package func write(_ bytes: [UInt8]) async throws {
    var rest = bytes[...]
    while !rest.isEmpty, !isOver {
      let sent = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if sent > 0 { rest = rest.dropFirst(sent) } else { try await EventLoop.sleep(for: .milliseconds(1)) }
    }
  }

  /// Closes the connection, regardless of the received data.
  package func end() {
    guard !isOver else { return }
    isOver = true
    watch?.cancel()
    close(socket)
    waiting?.resume()
    waiting = nil
  }

  /// Waits until the server closes the connection, and parses the response.
  package func answer() async -> TestHTTPAnswer {
    // The connection may end before this task starts to wait.
    await withCheckedContinuation { if isOver { $0.resume() } else { waiting = $0 } }
    return Self.parse(received)
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = Glibc.read(socket, &buffer, buffer.count)
      guard count > 0 else {
        if count == 0 || errno != EAGAIN { end() }
        return
      }
      received += buffer[..<count]
    }
  }

  private static func parse(_ bytes: [UInt8]) -> TestHTTPAnswer {
    var answer = TestHTTPAnswer(raw: bytes)
    var rest = bytes[...]
    // Interim responses such as 100 Continue precede the final one.
    while let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
      let lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
      let words = (lines.first ?? "").split(separator: " ")
      guard words.count >= 2, words[0].hasPrefix("HTTP/"), let status = Int(words[1]) else { return answer }
      rest = rest[end.upperBound...]
      guard status >= 200 else { continue }
      answer.status = status
      answer.headers = lines.dropFirst().compactMap { line in
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        return (line[..<colon].lowercased(), String(value))
      }
      answer.body = Array(rest)
      return answer
    }
    return answer
  }
}

extension ArraySlice<UInt8> {
  fileprivate func firstRange(of pattern: [UInt8]) -> Range<Int>? {
    guard count >= pattern.count else { return nil }
    for start in startIndex...(endIndex - pattern.count)
    where self[start..<(start + pattern.count)].elementsEqual(pattern) {
      return start..<(start + pattern.count)
    }
    return nil
  }
}
