// Only for `trunc`, which the standard library's conversion from Double calls.
import Glibc

/// A JSON number, kept as the text that it was written with, so that nothing is lost by passing it on.
package struct JSONNumber: Sendable, Equatable {
  /// The number as it was or will be written, RFC 8259 section 6.
  package let text: String

  /// A number whose text has been checked by the parser.
  init(validated text: String) { self.text = text }

  package init(_ value: Int) { text = String(value) }

  /// A number with a fraction; one that is not finite becomes zero, since JSON cannot write it.
  package init(_ value: Double) {
    if let whole = Int(exactly: value) {
      text = String(whole)
    } else {
      text = value.isFinite ? "\(value)" : "0"
    }
  }

  /// The value, if the number was written without fraction or exponent and fits.
  package var int: Int? { Int(text) }

  /// The nearest floating-point value; infinite if the number is too large.
  package var double: Double { Double(text) ?? .infinity }
}
