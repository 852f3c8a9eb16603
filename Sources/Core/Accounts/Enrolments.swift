public import ControlAPI
public import EventLoop
public import Glibc
internal import JSONRPC
public import OATHExports

/// Creates accounts from enrolment URIs; each URI scheme has one handler, which its component registers.
@EventLoop
public final class Enrolments {
  /// Creates the account that a URI describes.
  public typealias Enrolment = @EventLoop (KeyURI, uid_t) async throws -> Account

  private var schemes: [KeyURI.Scheme: Enrolment] = [:]

  nonisolated init() {}

  public func register(_ scheme: KeyURI.Scheme, _ enrolment: @escaping Enrolment) {
    schemes[scheme] = enrolment
  }

  /// Creates the account that a URI describes, with the handler of its scheme.
  public func enrol(_ text: String, owner: uid_t) async throws -> Account {
    let uri: KeyURI
    do { uri = try KeyURI(text) } catch {
      throw RPCError.invalidParameter("uri").withMessage(error.description)
    }
    guard let enrolment = schemes[uri.scheme] else { throw RPCError.invalidParameter("uri") }
    return try await enrolment(uri, owner)
  }
}
