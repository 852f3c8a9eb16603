/// The redirect with which a browser is to end a sign-on: one GET of a path on this machine's loopback.
package struct ExpectedRedirect: Sendable {
  /// The path, exactly as the browser will send it.
  package let path: String
  /// The SHA-256 of the `state` that it brings, by which whoever waits knows it and cannot make one.
  package let stateDigest: [UInt8]
  /// How long it is waited for.
  package var timeout: Duration

  /// A redirect from its parts.
  package init(path: String, stateDigest: [UInt8], timeout: Duration) {
    (self.path, self.stateDigest, self.timeout) = (path, stateDigest, timeout)
  }

  /// What speaks against waiting for it.
  package var problem: CourierFailure? {
    guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count <= CourierLimits.maximumPath,
      path.utf8.allSatisfy({ Self.isTargetByte($0) && $0 != UInt8(ascii: "?") })
    else { return .malformed }
    guard stateDigest.count == CourierLimits.stateDigest else { return .malformed }
    guard timeout > .zero, timeout <= CourierLimits.maximumListening else { return .malformed }
    return nil
  }

  /// Whether a text can be the query of a redirect, as it stands in a request line.
  package static func isQuery(_ text: some StringProtocol) -> Bool {
    (1...CourierLimits.maximumQuery).contains(text.utf8.count) && text.utf8.allSatisfy(isTargetByte)
  }

  /// Visible ASCII without the number sign: a fragment never leaves a browser.
  private static func isTargetByte(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "#")
  }
}
