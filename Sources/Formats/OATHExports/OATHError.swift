/// The reason why a key URI or a record is refused; it names the parameter and never contains secrets.
public enum OATHError: Error, Equatable {
  /// Not an enrolment URI for authenticators.
  case notAKeyURI
  case tooLong(maximum: Int)
  /// A type other than `totp` and `hotp`.
  case unsupportedType
  /// A readable value that is not supported; `value` is absent for text, which could be a misplaced secret.
  case unsupported(_ parameter: String, allowed: String, value: Int? = nil)
  /// The other authenticator has locked the account.
  case locked
  case invalid(_ parameter: String)
  case missing(_ parameter: String)
  /// A duplicate parameter, which readers interpret differently.
  case repeated(_ parameter: String)
}

extension OATHError: CustomStringConvertible {
  /// One sentence for display, in lower case.
  public var description: String {
    switch self {
    case .notAKeyURI: "this is not a URI that enrols an authenticator"
    case .tooLong(let maximum): "the URI is longer than \(maximum) bytes"
    case .unsupportedType: "the type must be totp or hotp"
    case .unsupported(let parameter, let allowed, nil): "\(parameter) must be \(allowed)"
    case .unsupported(let parameter, let allowed, let value?):
      "\(parameter) is \(value), but must be \(allowed)"
    case .locked: "the account is locked in the other authenticator"
    case .invalid(let parameter): "\(parameter) cannot be read"
    case .missing(let parameter): "\(parameter) is missing"
    case .repeated(let parameter): "\(parameter) is given twice"
    }
  }
}
