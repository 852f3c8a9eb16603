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

/// Finds the handler of a method, checks who may call it and how often, turns failures into errors, and leaves an
/// entry in the audit of each call that is to leave one.
@EventLoop
public final class Router {
  private let service: Service
  private let handlers: [String: Handler]

  /// A router over the table of handlers; `nil` if a method has no handler or a handler no method.
  public init?(service: Service) {
    let byName = Dictionary(HandlerTable.all.map { ($0.method.name, $0) }) { first, _ in first }
    guard byName.count == HandlerTable.all.count, Set(byName.keys) == Set(MethodTable.all.map { $0.name })
    else {
      return nil
    }
    (self.service, handlers) = (service, byName)
  }

  /// How a request was taken up.
  enum Outcome {
    case done(CallOutcome)
    case later(@EventLoop () async -> CallOutcome)
  }

  var counters: TrafficCounters { service.counters }

  /// Where what requests change is kept.
  var vault: Vault { service.core.vault }

  /// Carries out a request at once if it can be, else says how to go on.
  func route(_ request: RPCRequest, _ caller: Caller, _ connection: ControlConnection) -> Outcome {
    guard let handler = handlers[request.method] else {
      return .done(CallOutcome(request.id, refused: .methodNotFound))
    }
    if let problem = service.core.settings.problem, !handler.method.worksMisconfigured {
      return .done(CallOutcome(request.id, refused: .misconfigured(Misconfiguration(problem))))
    }
    // What is refused for its rate leaves no entry either, so that a flood does not reach the disk.
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
    let later: Handler.Work.Later
    switch handler.work {
    case .either(let waits, let body, _) where !waits(call):
      return .done(audited(body(service, call), of: handler, call))
    case .now(let body): return .done(audited(body(service, call), of: handler, call))
    case .either(_, _, let body), .later(let body): later = body
    }
    return .later { [self] in audited(await later(service, call), of: handler, call) }
  }

  /// What somebody has to mend, the network, a server or the configuration, is told to whoever reads the journal.
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

  /// A call whose entry in the audit is on the disk, if its method leaves one.
  private func audited(_ ended: CallOutcome, of handler: Handler, _ call: Handler.Call) -> CallOutcome {
    if let error = ended.error { tell(error, of: handler, call) }
    guard let (target, result) = ended.entry else { return ended }
    service.core.audit.record(
      handler.method.name,
      target: target,
      outcome: result,
      owner: call.caller.uid
    )
    return ended
  }
}

/// What `rpc.discover` tells, written when it is first asked for.
enum Discovery {
  /// The document of the methods that a caller may call.
  static func document(for caller: Caller) -> RawJSON { caller.mayServe ? whole : personal }

  private static let whole = document(of: MethodTable.all)
  private static let personal = document(of: MethodTable.all.filter { $0.access != .service })

  private static func document(of methods: [any ControlMethod.Type]) -> RawJSON {
    OpenRPC.document(of: methods, version: Version.text)
  }
}
