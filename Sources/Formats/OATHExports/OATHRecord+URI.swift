internal import WebAddress

extension OATHRecord {
  /// The record as an `otpauth:` URI, from which the same record is read.
  package var uri: String {
    var parameters = [("secret", secret.filter { $0 != " " && $0 != "-" && $0 != "=" }), ("issuer", issuer)]
    if let algorithm { parameters.append(("algorithm", algorithm)) }
    if let digits { parameters.append(("digits", String(digits))) }
    if let period { parameters.append(("period", String(period))) }
    if let counter { parameters.append(("counter", String(counter))) }
    let name = FormEncoding.encode(issuer) + ":" + FormEncoding.encode(label)
    return "otpauth://\(type.rawValue)/\(name)?\(FormEncoding.encode(parameters))"
  }
}
