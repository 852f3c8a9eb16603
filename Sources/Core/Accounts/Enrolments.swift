package import ControlAPI
package import EventLoop
package import Glibc
internal import JSONRPC
package import OATHExports

/// What makes accounts of enrolment URIs: one entry for each scheme, which whoever reads it registers.
@EventLoop
package final class Enrolments {
  /// Makes the account of a URI.
  package typealias Enrolment = @EventLoop (KeyURI, uid_t) async throws -> Account

  private var schemes: [KeyURI.Scheme: Enrolment] = [:]

  nonisolated init() {}

  package func register(_ scheme: KeyURI.Scheme, _ enrolment: @escaping Enrolment) {
    schemes[scheme] = enrolment
  }

  /// Makes the account of a URI by its scheme.
  package func enrol(_ text: String, owner: uid_t) async throws -> Account {
    let uri: KeyURI
    do { uri = try KeyURI(text) } catch { throw RPCError.invalidParameter("uri").saying(error.description) }
    guard let enrolment = schemes[uri.scheme] else { throw RPCError.invalidParameter("uri") }
    return try await enrolment(uri, owner)
  }
}
