public import ControlAPI
public import EventLoop
public import Glibc
public import JSON
internal import JSONRPC

extension Approvals {
  /// Processes a push of any kind as a transport delivered it; returns nil if there is nothing to show.
  public func process(_ payload: JSON, owner: uid_t) throws -> NotificationObject? {
    try reader(of: payload).process(payload, owner: owner)
  }

  private func reader(of payload: JSON) throws -> any PushReader {
    guard let reader = readers.first(where: { $0.recognizes(payload) }) else {
      throw RPCError.unrecognizedNotification
    }
    return reader
  }

  /// Processes a push as a transport delivered it and performs the action that its owner chose.
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
      // A push that cannot be decrypted cannot be decided.
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
    // The request may have been completed differently on another device.
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
  /// True if a payload has the form of its pushes, whether or not it is valid.
  nonisolated func recognizes(_ payload: JSON) -> Bool
  /// Verifies and stores a push once. Returns nil if there is nothing to show.
  func process(_ payload: JSON, owner: uid_t) throws -> NotificationObject?
  /// True if pushes of the owner are kept unread until the PIN is given. Default: false.
  func isWaitingForPIN(of owner: uid_t) throws -> Bool
}

extension PushReader {
  public func isWaitingForPIN(of owner: uid_t) throws -> Bool { false }
}
