import CurlClient
import EventLoop
import JSON
import WebAddress

/// Why a command came to nothing.
struct CommandFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// A sandbox that runs, as whoever started it asks it.
@EventLoop
final class RunningSandbox {
  private let announcement: JSON
  private let client = CurlClient(CurlSettings(allowsLoopbackHTTP: true, userAgent: "pingone-sandbox"))

  /// The one at an address, or the only one of this user.
  init(url: WebURL?) throws(CommandFailure) {
    let origin = url?.origin
    let found = RunningSandboxes.announcements().filter { port, _ in
      origin.map { OwnAddress.names.contains($0.host) && $0.port == port && $0.scheme == .http } ?? true
    }
    guard let first = found.first else {
      throw CommandFailure("no sandbox of yours runs" + (origin.map { " at \($0.text)" } ?? ""))
    }
    guard found.count == 1 else {
      let addresses = found.compactMap { $0.announcement["url"]?.string }.joined(separator: ", ")
      throw CommandFailure("several sandboxes of yours run; --url says which: \(addresses)")
    }
    announcement = first.announcement
  }

  func text(_ name: String) -> String { announcement[name]?.string ?? "" }

  /// The path of the environment in the management interface.
  var managed: String { "/v1/environments/\(text("environment"))" }

  /// Asks it as its administrator and returns its response, which must not be a refusal.
  func ask(_ method: String, _ path: String, _ body: JSON? = nil) async throws -> JSON {
    guard let address = WebURL(text("url") + path) else { throw CommandFailure("\(path) is no path") }
    let request = HTTPRequest(
      method,
      address,
      headers: [("Authorization", "Bearer \(text("adminToken"))"), ("Content-Type", "application/json")],
      body: body?.serialized ?? []
    )
    let response = try await send(request)
    let json = response.body.isEmpty ? JSON.null : (try? JSON(parsing: response.body)) ?? .null
    guard response.status < 400 else {
      let detail = json["details"]?.array?.first
      let reason = detail.flatMap { detail in
        detail["target"]?.string.flatMap { target in detail["message"]?.string.map { "\(target) \($0)" } }
      }
      throw CommandFailure(reason ?? json["message"]?.string ?? "refused with status \(response.status)")
    }
    return json
  }

  /// The identifier of a user.
  func user(named username: String) async throws -> JSON {
    let filter = "username eq \(JSON.string(username).text)"
    let path = "\(managed)/users?filter=\(FormEncoding.encode(filter))"
    guard let user = try await ask("GET", path)["_embedded"]?["users"]?.array?.first?["id"] else {
      throw CommandFailure("there is no user \(username)")
    }
    return user
  }

  private func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    do {
      return try await withCheckedThrowingContinuation { continuation in
        do { _ = try client.start(request) { continuation.resume(with: $0) } } catch {
          continuation.resume(throwing: error)
        }
      }
    } catch { throw CommandFailure("\(text("url")) does not respond") }
  }
}
