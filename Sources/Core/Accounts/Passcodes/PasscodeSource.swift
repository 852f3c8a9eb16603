public import EventLoop
public import Glibc

/// A provider of accounts with passcodes that a sign-on may use.
@EventLoop
public protocol PasscodeSource: Sendable {
  /// Returns an owner's active accounts with passcodes that `receiver` accepts.
  ///
  /// `receiver` is an issuer, or the server of a PingAM journey. `user` is nil if the sign-on does not know
  /// the user yet. `device` is nil if the user chose no device.
  func accounts(
    makingPasscodesFor receiver: String,
    user: String?,
    device: String?,
    of owner: uid_t
  ) throws -> [AccountRecord]
}
