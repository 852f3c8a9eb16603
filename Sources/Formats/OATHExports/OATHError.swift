/// The reason why a key URI or a record is refused; it names the parameter and never contains secrets.
public enum OATHError: Error, Equatable {
  /// Not an enrolment URI for authenticators, or too long.
  case notAKeyURI
  /// A type other than `totp` and `hotp`.
  case unsupportedType
  /// A readable value that is not supported.
  case unsupported(_ parameter: String, allowed: String)
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
    case .unsupportedType: "the type must be totp or hotp"
    case .unsupported(let parameter, let allowed): "\(parameter) must be \(allowed)"
    case .invalid(let parameter): "\(parameter) cannot be read"
    case .missing(let parameter): "\(parameter) is missing"
    case .repeated(let parameter): "\(parameter) is given twice"
    }
  }
}
