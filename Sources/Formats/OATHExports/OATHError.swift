/// Why a key URI or a record of one is refused; names the parameter, and never holds anything of a secret.
public enum OATHError: Error, Equatable {
  /// Not a URI that enrols authenticators, or one that is too long.
  case notAKeyURI
  /// Another type than `totp` and `hotp`.
  case unsupportedType
  /// A known value that passcodes here do not have.
  case unsupported(_ parameter: String, allowed: String)
  case invalid(_ parameter: String)
  case missing(_ parameter: String)
  /// A parameter that is given twice, which two readers could understand differently.
  case repeated(_ parameter: String)
}

extension OATHError: CustomStringConvertible {
  /// One sentence for a person, in lower case.
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
