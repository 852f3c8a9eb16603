import CurlClient
import EventLoop
import TestNetwork
import WebAddress

extension CurlSettings {
  static let loopback = CurlSettings(
    allowsLoopbackHTTP: true,
    userAgent: "mfad-test",
    connectTimeout: .seconds(40)
  )
}

extension CurlClient {
  /// Sends a request and returns its result.
  func send(_ request: CurlRequest) async -> Result<CurlResponse, CurlError> {
    await withCheckedContinuation { continuation in
      do throws(CurlError) {
        _ = try start(request) { continuation.resume(returning: $0) }
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
  }

  /// Sends a GET and returns the response.
  func get(_ url: WebURL, timeout: Duration = .seconds(40)) async throws -> CurlResponse {
    try await send(CurlRequest("GET", url, timeout: timeout)).get()
  }

  /// Sends a GET and returns its error, or nil if it succeeds.
  func failure(_ url: WebURL, timeout: Duration = .seconds(40)) async -> CurlError? {
    switch await send(CurlRequest("GET", url, timeout: timeout)) {
    case .success: nil
    case .failure(let error): error
    }
  }

  /// Sends a GET to the test server and returns the response.
  func get(_ server: TestServer, _ path: String, host: String = "127.0.0.1") async throws -> CurlResponse {
    try await get(server.url(path, host: host))
  }

  /// Sends a GET to the test server and returns its error, or nil if it succeeds.
  func failure(
    _ server: TestServer,
    _ path: String,
    host: String = "127.0.0.1",
    timeout: Duration = .seconds(40)
  ) async throws -> CurlError? {
    await failure(try server.url(path, host: host), timeout: timeout)
  }
}

extension CurlResponse {
  var text: String { String(decoding: body, as: UTF8.self) }

  func values(of name: String) -> [String] { headers.filter { $0.name == name }.map(\.value) }
}
