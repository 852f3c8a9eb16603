internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC

/// Finds the handler of a method, checks who may call it and how often, and turns failures into errors.
@EventLoop
final class Router {
  private let service: Service
  private let handlers: [String: Handler]
  private let limits: WriteLimits

  /// A router over the table of handlers; `nil` if a method has no handler or a handler no method.
  init?(service: Service) {
    let byName = Dictionary(HandlerTable.all.map { ($0.method.name, $0) }) { first, _ in first }
    guard byName.count == HandlerTable.all.count, Set(byName.keys) == Set(MethodTable.all.map { $0.name })
    else {
      return nil
    }
    (self.service, handlers) = (service, byName)
    limits = WriteLimits(time: service.time)
  }

  /// How a request was taken up.
  enum Outcome {
    case done(Result<JSON, RPCError>)
    case later(@EventLoop () async -> Result<JSON, RPCError>)
  }

  /// Carries out a request at once if it can be, else says how to go on.
  func route(_ request: RPCRequest, _ caller: Caller, _ connection: ControlConnection) -> Outcome {
    guard let handler = handlers[request.method] else { return .done(.failure(.methodNotFound)) }
    guard handler.method.access != .service || caller.mayServe else {
      return .done(.failure(.permissionDenied))
    }
    if handler.method.isWrite, let wait = limits.waitBeforeWrite(of: caller.uid) {
      return .done(.failure(.rateLimited.with(["retryAfter": .int(wait)])))
    }
    let call = Handler.Call(caller: caller, connection: connection, params: request.params)
    switch handler.work {
    case .now(let body):
      do { return .done(.success(try body(service, call))) } catch {
        return .done(.failure(ErrorMapping.rpcError(error)))
      }
    case .later(let body):
      let service = service
      return .later {
        do { return .success(try await body(service, call)) } catch {
          return .failure(ErrorMapping.rpcError(error))
        }
      }
    }
  }
}
