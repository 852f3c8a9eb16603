/// An instant of the civil clock, in milliseconds since 1970-01-01T00:00:00Z.
package struct Timestamp: Sendable, Hashable, Comparable {
  /// Milliseconds since the Unix epoch.
  package let milliseconds: Int64

  /// An instant from milliseconds since the Unix epoch.
  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// An instant from whole seconds since the Unix epoch.
  package init(seconds: Int) { milliseconds = Int64(clamping: seconds).multipliedClamping(by: 1000) }

  /// Whole seconds since the Unix epoch, rounded down.
  package var seconds: Int { Int(milliseconds.flooredDivision(by: 1000)) }

  /// The earlier instant is the smaller.
  package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

  /// The instant so many seconds later; negative for earlier.
  package func adding(seconds: Int) -> Timestamp {
    let offset = Int64(clamping: seconds).multipliedClamping(by: 1000)
    let (sum, overflow) = milliseconds.addingReportingOverflow(offset)
    return Timestamp(milliseconds: overflow ? (seconds > 0 ? .max : .min) : sum)
  }

  /// Whole seconds from another instant to this one, rounded down.
  package func seconds(since other: Timestamp) -> Int { seconds - other.seconds }
}

extension Int64 {
  func flooredDivision(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }

  func multipliedClamping(by factor: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: factor)
    return overflow ? (self < 0 ? .min : .max) : product
  }
}
