public import EventLoop
public import Glibc

/// Accounts of one provider whose passcodes a sign-on may use.
@EventLoop
public protocol PasscodeSource: Sendable {
  /// Returns an owner's active accounts whose passcodes an issuer takes, or of a journey its server.
  ///
  /// `user` is `nil` if the sign-on does not know yet who signs on, and `device` if the user chose none.
  func accounts(
    makingPasscodesFor receiver: String,
    user: String?,
    device: String?,
    of owner: uid_t
  ) throws -> [AccountRecord]
}
