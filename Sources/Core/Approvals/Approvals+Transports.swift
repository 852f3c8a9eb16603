public import ControlAPI
public import EventLoop
public import Glibc
public import JSON
internal import JSONRPC

extension Approvals {
  /// Takes a push as a transport delivered it, of whichever kind it is; `nil` when there is nothing to show.
  public func process(_ payload: JSON, owner: uid_t) throws -> NotificationObject? {
    try reader(of: payload).process(payload, owner: owner)
  }

  private func reader(of payload: JSON) throws -> any PushReader {
    guard let reader = readers.first(where: { $0.recognizes(payload) }) else {
      throw RPCError.unrecognizedNotification
    }
    return reader
  }

  /// Takes a push as a transport delivered it and does what its owner chose from its buttons.
  ///
  /// Only what asks for a sign-on is answered; the same choice again gives the same.
  public func act(
    _ action: NotificationAction,
    on payload: JSON,
    method: String,
    owner: uid_t
  ) async throws -> NotificationObject? {
    let reader = try reader(of: payload)
    guard let push = try reader.process(payload, owner: owner) else {
      // What cannot be read cannot be decided on either.
      guard try !reader.isWaitingForPIN(of: owner) else { throw RPCError.locked }
      return nil
    }
    switch push.kind {
    case _ where action == .open: return push
    case .known(.authentication): break
    case .known(.cancelled): throw RPCError.cancelled
    case .known(.done), .known(.test), .unknown: return push
    }
    let isApproval = action == .approve
    // What was chosen here may have been settled otherwise elsewhere.
    let chosen: NotificationObject.State = isApproval ? .approved : .denied
    if push.state == chosen, push.answer?.decision == (isApproval ? "approve" : "deny") { return push }
    return isApproval
      ? try await approve(push.id, method: method, number: nil, owner: owner).notification
      : try await deny(push.id, reason: "NONE", owner: owner).notification
  }
}

/// A reader of one kind of pushes, as transports deliver them.
@EventLoop
public protocol PushReader: AnyObject {
  /// Whether a payload has the shape of its pushes, whatever it is worth.
  nonisolated func recognizes(_ payload: JSON) -> Bool
  /// Verifies a push and stores it, once; `nil` when there is nothing to show.
  func process(_ payload: JSON, owner: uid_t) throws -> NotificationObject?
  /// Whether it can read an owner's pushes only once their PIN is given, and keeps them until then.
  func isWaitingForPIN(of owner: uid_t) throws -> Bool
}

extension PushReader {
  public func isWaitingForPIN(of owner: uid_t) throws -> Bool { false }
}
