internal import OATH
internal import OpenSSL

extension Work {
  private static let secret: [UInt8] = Array(1...20)

  /// A passcode of six digits by SHA-1, the most common kind, with and without a kept generator.
  static let passcodes: [Work] = [
    Work(name: "passcode-warm") {
      let totp = try generator()
      var window = 0
      return Operation {
        window += 1
        keep(try totp.passcode(window: window))
      }
    },
    Work(name: "passcode-cold") {
      var window = 0
      return Operation {
        window += 1
        keep(try generator().passcode(window: window))
      }
    },
  ]

  private static func generator() throws -> TOTP {
    TOTP(secret: Secret(copying: secret), algorithm: .sha1, digits: 6, period: 30)
  }
}
