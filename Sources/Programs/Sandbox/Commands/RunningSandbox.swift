import CurlClient
import EventLoop
import FoundationEssentials
import Glibc
import JSON
import SystemCalls
import WebAddress

/// The reason why a command failed.
struct CommandFailure: Error, CustomStringConvertible {
  let description: String
  let hint: String?

  init(_ description: String, hint: String? = nil) { (self.description, self.hint) = (description, hint) }
}

/// A client for a running sandbox that the same user has started.
@EventLoop
final class RunningSandbox {
  private let announcement: JSON
  private let client = CurlClient(CurlSettings(allowsLoopbackHTTP: true, userAgent: "pingone-sandbox"))

  /// Finds the sandbox at a URL, or the only sandbox of this user.
  init(url: WebURL?) throws(CommandFailure) {
    let origin = url?.origin
    let found = RunningSandboxes.announcements(everywhere: origin != nil).filter { port, _ in
      origin.map { OwnAddress.names.contains($0.host) && $0.port == port && $0.scheme == .http } ?? true
    }
    guard let first = found.first else {
      throw CommandFailure(
        "no sandbox of yours is running" + (origin.map { " at \($0.text)" } ?? ""),
        hint: origin == nil ? "--url URL also finds one that was started with another XDG_RUNTIME_DIR" : nil
      )
    }
    guard found.count == 1 else {
      let addresses = found.compactMap { $0.announcement["url"]?.string }.joined(separator: ", ")
      throw CommandFailure("several of your sandboxes are running; choose one with --url: \(addresses)")
    }
    announcement = first.announcement
  }

  func text(_ name: String) -> String { announcement[name]?.string ?? "" }

  /// Path of the environment in the management API.
  var managed: String { "/v1/environments/\(text("environment"))" }

  /// Sends a request with the administrator's token and returns the response.
  ///
  /// Throws on a status of 400 or more.
  func ask(_ method: String, _ path: String, _ body: JSON? = nil) async throws -> JSON {
    guard let address = WebURL(text("url") + path) else { throw CommandFailure("\(path) is not a path") }
    let request = CurlRequest(
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

  /// Returns the identifier of a user.
  func user(named username: String) async throws -> JSON {
    let filter = "username eq \(JSON.string(username).text)"
    let path = "\(managed)/users?filter=\(FormEncoding.encode(filter))"
    guard let user = try await ask("GET", path)["_embedded"]?["users"]?.array?.first?["id"] else {
      throw CommandFailure("there is no user \(username)")
    }
    return user
  }

  private func send(_ request: CurlRequest) async throws -> CurlResponse {
    do {
      return try await withCheckedThrowingContinuation { continuation in
        do { _ = try client.start(request) { continuation.resume(with: $0) } } catch {
          continuation.resume(throwing: error)
        }
      }
    } catch { throw CommandFailure("\(text("url")) does not respond") }
  }
}

/// The running sandboxes of this user; each one keeps a locked file with its announcement.
@EventLoop
enum RunningSandboxes {
  /// Directory of the files: below `$XDG_RUNTIME_DIR`, otherwise a directory of this user in /tmp.
  private static var directory: String {
    let runtime = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } ?? ""
    let isThere = runtime.hasPrefix("/") && access(runtime, W_OK) == 0
    return isThere ? "\(runtime)/pingone-sandbox" : usualDirectories[1]
  }

  /// The directories of sandboxes that were started in a login session, and without one.
  private static var usualDirectories: [String] {
    ["/run/user/\(geteuid())/pingone-sandbox", "/tmp/pingone-sandbox-\(geteuid())"]
  }

  /// Writes an announcement, which is valid while the caller keeps the returned file.
  ///
  /// Returns `nil` if the directory is not private to this user.
  static func tell(_ announcement: JSON, port: UInt16) -> LockedFile? {
    mkdir(directory, 0o700)
    guard isPrivate(directory) else { return nil }
    return try? LockedFile(path(port, in: directory), announcement.text + "\n")
  }

  static func forget(port: UInt16) { unlink(path(port, in: directory)) }

  /// Returns the announcements with their ports; `everywhere` includes those in the usual directories.
  static func announcements(everywhere: Bool) -> [(port: UInt16, announcement: JSON)] {
    let usual = everywhere ? usualDirectories.filter { $0 != directory } : []
    return ([directory] + usual).flatMap(announcements(in:))
  }

  private static func announcements(in directory: String) -> [(port: UInt16, announcement: JSON)] {
    guard isPrivate(directory) else { return [] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    let ports = names.filter { $0.hasSuffix(suffix) }.compactMap { UInt16($0.dropLast(suffix.count)) }
    return ports.sorted().compactMap { port in announcement(path(port, in: directory)).map { (port, $0) } }
  }

  private static let suffix = ".json"

  private static func path(_ port: UInt16, in directory: String) -> String { "\(directory)/\(port)\(suffix)" }

  /// Returns the content of a file that another process keeps locked.
  ///
  /// A sandbox that was killed leaves an unlocked file.
  private static func announcement(_ path: String) -> JSON? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
    return try? JSON(parsing: readWhole(descriptor, atMost: 16 * 1024 * 1024))
  }

  private static func isPrivate(_ path: String) -> Bool {
    var information = stat()
    return lstat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
      && information.st_uid == geteuid() && information.st_mode & 0o077 == 0
  }
}
