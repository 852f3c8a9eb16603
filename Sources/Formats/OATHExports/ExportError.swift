/// Why an export as a whole is refused.
package enum ExportError: Error, Equatable {
  case tooLong(maximum: Int)
  case tooManyEntries(maximum: Int)
  /// The data does not show which format it is.
  case unknownFormat
  /// The data is not what the format says.
  case malformed
  /// A part of several is missing, or there twice.
  case incomplete(parts: Int)
  /// Deriving the key would take more memory or time than is given.
  case tooExpensive
  /// Encrypted in a way that cannot be opened here.
  case unsupportedEncryption
  case wrongPassword
  /// The format does not tell the two apart.
  case wrongPasswordOrDamaged
  /// The password is right, and what it opens is not.
  case damaged
}

extension ExportError: CustomStringConvertible {
  /// One sentence for a person, in lower case.
  package var description: String {
    switch self {
    case .tooLong(let maximum): "the data is longer than \(maximum) bytes"
    case .tooManyEntries(let maximum): "the data has more than \(maximum) entries"
    case .unknownFormat: "the data does not show which format it is in"
    case .malformed: "the data is not of this format"
    case .incomplete(let parts): "the export has \(parts) parts, and each is needed once"
    case .tooExpensive: "opening the data would take too much memory or time"
    case .unsupportedEncryption: "the data is encrypted in a way that cannot be opened here"
    case .wrongPassword: "the password is wrong"
    case .wrongPasswordOrDamaged: "the password is wrong or the data is damaged"
    case .damaged: "the data is damaged"
    }
  }
}
