/// The number that is shown where a person signs on.
package enum MatchedNumber {
  /// The numbers that can be given: up to nine digits.
  package static let range = 0...999_999_999
}
