package import ControlAPI
package import EventLoop
package import Glibc
package import JSON

/// What takes one kind of pushes as transports deliver them.
@EventLoop
package protocol PushReader: AnyObject {
  /// Whether a payload has the shape of its pushes, whatever it is worth.
  nonisolated func recognizes(_ payload: JSON) -> Bool
  /// Verifies a push and stores it, once; `nil` when there is nothing to show.
  func process(_ payload: JSON, owner: uid_t) throws -> NotificationObject?
  /// Whether it can read an owner's pushes only once their PIN is given, and keeps them until then.
  func isWaitingForPIN(of owner: uid_t) throws -> Bool
}

extension PushReader {
  package func isWaitingForPIN(of owner: uid_t) throws -> Bool { false }
}
