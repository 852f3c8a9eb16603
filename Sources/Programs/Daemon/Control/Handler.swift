internal import ControlAPI
internal import EventLoop
internal import JSON
internal import JSONRPC

/// What carries out one method: within the turn in which it was asked, or later.
struct Handler: Sendable {
  /// One call: who asks, through which connection, with which parameters,
  /// and whether a reply is wanted.
  struct Call: Sendable {
    let caller: Caller
    let connection: ControlConnection
    let params: JSON?
    /// False when the caller wants no reply.
    let isAnswered: Bool
  }

  /// How a call is carried out.
  enum Work: Sendable {
    case now(@EventLoop @Sendable (Service, Call) throws -> JSON)
    case later(@EventLoop @Sendable (Service, Call) async throws -> JSON)
  }

  let method: any ControlMethod.Type
  let work: Work

  /// A method that needs nothing from outside.
  static func now<Method: ControlMethod>(
    _ method: Method.Type,
    _ body: @escaping @EventLoop @Sendable (Service, Method, Call) throws -> Method.Answer
  ) -> Handler {
    Handler(method: method, work: .now { try body($0, Method(parsing: $1.params), $1).json })
  }

  /// A method that waits for others.
  static func later<Method: ControlMethod>(
    _ method: Method.Type,
    _ body: @escaping @EventLoop @Sendable (Service, Method, Call) async throws -> Method.Answer
  ) -> Handler {
    Handler(method: method, work: .later { try await body($0, Method(parsing: $1.params), $1).json })
  }
}
