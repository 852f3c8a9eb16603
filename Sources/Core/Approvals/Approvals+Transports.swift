public import ControlAPI
public import EventLoop
public import Glibc
public import JSON
internal import JSONRPC

extension Approvals {
  /// Processes the payload that a transport delivered for a push of any kind.
  ///
  /// Returns nil if there is nothing to show.
  public func process(_ payload: JSON, owner: uid_t) throws -> NotificationObject? {
    try reader(of: payload).process(payload, owner: owner)
  }

  private func reader(of payload: JSON) throws -> any PushReader {
    guard let reader = readers.first(where: { $0.recognizes(payload) }) else {
      throw RPCError.unrecognizedNotification
    }
    return reader
  }

  /// Processes the payload of a push and performs the action that the owner chose.
  ///
  /// Only sign-on requests are answered. Repeating the same action returns the same result.
  public func act(
    _ action: NotificationAction,
    on payload: JSON,
    method: String,
    owner: uid_t
  ) async throws -> NotificationObject? {
    let reader = try reader(of: payload)
    guard let push = try reader.process(payload, owner: owner) else {
      // The owner cannot decide on a push that stays unread until the PIN is given.
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
    // A request that was already completed as chosen is not decided again. A request that was completed
    // differently, for instance on another device, makes the calls below throw.
    let chosen: NotificationObject.State = isApproval ? .approved : .denied
    if push.state == chosen, push.answer?.decision == (isApproval ? "approve" : "deny") { return push }
    return isApproval
      ? try await approve(push.id, method: method, number: nil, owner: owner).notification
      : try await deny(push.id, reason: "NONE", owner: owner).notification
  }
}

/// A reader of one kind of pushes in the form in which transports deliver them.
@EventLoop
public protocol PushReader: AnyObject {
  /// True if a payload has the form of this reader's pushes, whether or not it is valid.
  nonisolated func recognizes(_ payload: JSON) -> Bool
  /// Verifies and stores a push once. Returns nil if there is nothing to show.
  func process(_ payload: JSON, owner: uid_t) throws -> NotificationObject?
  /// True if pushes of the owner are kept unread until the PIN is given. Default: false.
  func isWaitingForPIN(of owner: uid_t) throws -> Bool
}

extension PushReader {
  public func isWaitingForPIN(of owner: uid_t) throws -> Bool { false }
}
