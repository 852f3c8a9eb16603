internal import ControlAPI
internal import EventLoop
internal import JSON
internal import JSONRPC
internal import Vault

/// What carries out one method: within the turn in which it was asked, or later.
struct Handler: Sendable {
  /// One call: who asks, through which connection, and with which parameters.
  struct Call: Sendable {
    let caller: Caller
    let connection: ControlConnection
    let params: JSON?
    /// What the reply repeats; `nil`: the caller wants no reply.
    let id: RequestID?

    var isAnswered: Bool { id != nil }
  }

  /// How a call is carried out.
  enum Work: Sendable {
    case now(@EventLoop @Sendable (Service, Call) -> Completion)
    case later(@EventLoop @Sendable (Service, Call) async -> Completion)
  }

  let method: any ControlMethod.Type
  let work: Work
  /// What becomes of a call that is not carried out.
  let refuse: @Sendable (Call, RPCError) -> Completion

  private init<Method: ControlMethod>(_ method: Method.Type, _ work: Work) {
    (self.method, self.work) = (method, work)
    refuse = { call, error in Completion(call, try? Method(parsing: call.params), .failure(error)) }
  }

  /// A method that needs nothing from outside.
  static func now<Method: ControlMethod>(
    _ method: Method.Type,
    _ body: @escaping @EventLoop @Sendable (Service, Method, Call) throws -> Method.Result
  ) -> Handler {
    Handler(
      method,
      .now { service, call in
        var method: Method?
        do {
          let parsed = try Method(parsing: call.params)
          method = parsed
          try service.checkOpen(for: parsed, call)
          return Completion(call, method, .success(try body(service, parsed, call)))
        } catch {
          return Completion(call, method, .failure(RPCError(naming: error)))
        }
      }
    )
  }

  /// A method that waits for others.
  static func later<Method: ControlMethod>(
    _ method: Method.Type,
    _ body: @escaping @EventLoop @Sendable (Service, Method, Call) async throws -> Method.Result
  ) -> Handler {
    Handler(
      method,
      .later { service, call in
        var method: Method?
        do {
          let parsed = try Method(parsing: call.params)
          method = parsed
          try service.checkOpen(for: parsed, call)
          let result = try await service.vault.storing { try await body(service, parsed, call) }
          return Completion(call, method, .success(result))
        } catch {
          return Completion(call, method, .failure(RPCError(naming: error)))
        }
      }
    )
  }
}

extension Service {
  /// Refuses what an owner whose PIN has not been given cannot do.
  @EventLoop
  fileprivate func checkOpen(for method: some ControlMethod, _ call: Handler.Call) throws {
    guard try method.worksWhileLocked || !vault.isLocked(call.caller.uid) else { throw RPCError.locked }
  }
}
