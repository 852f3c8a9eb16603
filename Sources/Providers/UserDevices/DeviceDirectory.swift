package import ControlAPI
package import EventLoop

/// The devices of one user at another side, asked for in the user's name while a sign-on is being finished.
@EventLoop
package protocol DeviceDirectory: AnyObject {
  /// What tells this side and this user from all others.
  var identity: [String] { get }
  /// Fails once nobody waits any more for what is done: the sign-on was cancelled, or its owner erased.
  func checkCurrent() throws
  func list() async throws -> [UserDevice]
  /// Removes a device; one that is gone is as good.
  func delete(_ device: DeviceName) async throws
  func rename(_ device: DeviceName, to nickname: String) async throws
}

/// What the other side knows a device by.
package struct DeviceName: Sendable, Hashable {
  package let id: String
  package let type: String

  package init(_ id: String, type: String) { (self.id, self.type) = (id, type) }
}
