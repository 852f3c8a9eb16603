internal import Configuration
internal import ControlAPI
public import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import Journal
internal import Settings
internal import Usage
internal import Vault

/// Dispatches requests to handlers: checks access and rate limits, converts failures to errors, writes audit
/// entries.
@EventLoop
public final class Router {
  private let service: Service
  private let handlers: [String: Handler]

  /// A router over the handler table; `nil` if a method has no handler or a handler has no method.
  public init?(service: Service) {
    let byName = Dictionary(HandlerTable.all.map { ($0.method.name, $0) }) { first, _ in first }
    guard byName.count == HandlerTable.all.count, Set(byName.keys) == Set(MethodTable.all.map { $0.name })
    else {
      return nil
    }
    (self.service, handlers) = (service, byName)
  }

  /// The outcome of a request, or the asynchronous work that produces it.
  enum Outcome {
    case done(CallOutcome)
    case asynchronous(@EventLoop () async -> CallOutcome)
  }

  var counters: TrafficCounters { service.counters }

  /// The vault that requests change.
  var vault: Vault { service.core.vault }

  /// Executes a request synchronously if possible.
  ///
  /// Otherwise returns the asynchronous work.
  func route(_ request: RPCRequest, _ caller: Caller, _ connection: ControlConnection) -> Outcome {
    guard let handler = handlers[request.method] else {
      return .done(CallOutcome(request.id, refused: .methodNotFound))
    }
    if let problem = service.core.settings.problem, !handler.method.worksMisconfigured {
      return .done(CallOutcome(request.id, refused: .misconfigured(Misconfiguration(problem))))
    }
    // Rate-limited calls are not audited, so that a flood causes no disk writes.
    if handler.method.isWrite {
      do { try service.writes.take(of: caller.uid) } catch {
        return .done(CallOutcome(request.id, refused: error))
      }
    }
    let call = Handler.Call(
      caller: caller,
      connection: connection,
      params: request.params,
      id: request.id
    )
    guard handler.method.access != .service || caller.mayServe else {
      return .done(audited(handler.refuse(call, .permissionDenied), of: handler, call))
    }
    let asynchronous: Handler.Work.AsyncHandler
    switch handler.work {
    case .either(let waits, let body, _) where !waits(call):
      return .done(audited(body(service, call), of: handler, call))
    case .now(let body): return .done(audited(body(service, call), of: handler, call))
    case .either(_, _, let body), .asynchronous(let body): asynchronous = body
    }
    return .asynchronous { [self] in audited(await asynchronous(service, call), of: handler, call) }
  }

  /// Logs a failed call: at info level if the network, a server or the configuration is the cause, else at
  /// debug level.
  private func tell(_ error: RPCError, of handler: Handler, _ call: Handler.Call) {
    guard let cause = error.cause else {
      return Journal.debug("a call was refused", ["code": error.code, "uid": call.caller.uid])
    }
    Journal.limitedInfo(
      "a call failed",
      [
        "method": handler.method.name, "code": error.code, "cause": cause,
        "at": error.details["origin"]?.string ?? "-", "uid": call.caller.uid,
      ]
    )
  }

  /// Records the audit entry of a call, if its method has one, and returns the outcome.
  private func audited(_ ended: CallOutcome, of handler: Handler, _ call: Handler.Call) -> CallOutcome {
    if let error = ended.error { tell(error, of: handler, call) }
    guard let (target, result) = ended.entry else { return ended }
    let (audit, name, owner) = (service.core.audit, handler.method.name, call.caller.uid)
    if let result {
      audit.record(name, target: target, outcome: result, owner: owner)
    } else if let target {
      audit.count(name, target: target, owner: owner)
    }
    return ended
  }
}

/// The result of `rpc.discover`, generated at first use.
enum Discovery {
  /// Returns the OpenRPC document of the methods that the caller may use.
  static func document(for caller: Caller) -> RawJSON { caller.mayServe ? whole : personal }

  private static let whole = document(of: MethodTable.all)
  private static let personal = document(of: MethodTable.all.filter { $0.access != .service })

  private static func document(of methods: [any ControlMethod.Type]) -> RawJSON {
    OpenRPC.document(of: methods, version: Version.text)
  }
}
