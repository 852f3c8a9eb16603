/// An instant of the wall clock, in milliseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Sendable, Hashable, Comparable {
  /// Milliseconds since the Unix epoch.
  public let milliseconds: Int64

  /// An instant from milliseconds since the Unix epoch.
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// An instant from whole seconds since the Unix epoch.
  public init(seconds: Int) { milliseconds = Int64(clamping: seconds).multipliedClamping(by: 1000) }

  /// Whole seconds since the Unix epoch, rounded down.
  public var seconds: Int { Int(milliseconds.flooredDivision(by: 1000)) }

  /// True if the left instant is earlier.
  public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

  /// Returns the instant that is this number of seconds later, or earlier if the number is negative.
  public func adding(seconds: Int) -> Timestamp {
    let offset = Int64(clamping: seconds).multipliedClamping(by: 1000)
    let (sum, overflow) = milliseconds.addingReportingOverflow(offset)
    return Timestamp(milliseconds: overflow ? (seconds > 0 ? .max : .min) : sum)
  }

  /// Returns the whole seconds of this instant minus the whole seconds of another instant.
  public func seconds(since other: Timestamp) -> Int { seconds - other.seconds }
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

extension Timestamp {
  /// The instant as RFC 3339 text in UTC with whole seconds, `2026-11-21T09:00:00Z`.
  public var text: String {
    let clamped = min(max(seconds, Self.firstSecond), Self.lastSecond)
    let days = Int64(clamped).flooredDivision(by: 86_400)
    let second = clamped - Int(days) * 86_400
    let (year, month, day) = Self.civil(days: Int(days))
    return String(unsafeUninitializedCapacity: 20) { buffer in
      Self.write(year, digits: 4, then: "-", at: 0, to: buffer)
      Self.write(month, digits: 2, then: "-", at: 5, to: buffer)
      Self.write(day, digits: 2, then: "T", at: 8, to: buffer)
      Self.write(second / 3600, digits: 2, then: ":", at: 11, to: buffer)
      Self.write(second / 60 % 60, digits: 2, then: ":", at: 14, to: buffer)
      Self.write(second % 60, digits: 2, then: "Z", at: 17, to: buffer)
      return 20
    }
  }

  private static func write(
    _ number: Int,
    digits: Int,
    then separator: Unicode.Scalar,
    at position: Int,
    to buffer: UnsafeMutableBufferPointer<UInt8>
  ) {
    var rest = number
    for index in (position..<(position + digits)).reversed() {
      buffer[index] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
    buffer[position + digits] = UInt8(ascii: separator)
  }

  /// Reads RFC 3339 text in UTC (`Z`), with or without fractional seconds; `nil` for any other text.
  public init?(text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") else { return nil }
    for (index, separator) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")] as [(Int, Unicode.Scalar)]
    where bytes[index] != UInt8(ascii: separator) { return nil }
    guard let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[5..<7]),
      let day = Self.number(bytes[8..<10]), let hour = Self.number(bytes[11..<13]),
      let minute = Self.number(bytes[14..<16]), let second = Self.number(bytes[17..<19])
    else { return nil }
    guard (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day), hour < 24,
      minute < 60,
      second < 60
    else { return nil }
    var milliseconds = 0
    if bytes.count > 20 {
      let fraction = bytes[20..<(bytes.count - 1)]
      guard bytes[19] == UInt8(ascii: "."), fraction.count <= 9, Self.number(fraction) != nil else {
        return nil
      }
      let digits = fraction.prefix(3) + Array(repeating: UInt8(ascii: "0"), count: max(0, 3 - fraction.count))
      milliseconds = Self.number(ArraySlice(digits)) ?? 0
    }
    let days = Self.days(year: year, month: month, day: day)
    let total = days * 86_400 + hour * 3600 + minute * 60 + second
    self.init(milliseconds: Int64(total) * 1000 + Int64(milliseconds))
  }

  private static let firstSecond = -62_167_219_200
  private static let lastSecond = 253_402_300_799

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard !digits.isEmpty else { return nil }
    var value = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      value = value * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return value
  }

  private static func days(in month: Int, of year: Int) -> Int {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  }

  // Both conversions count years from March, so that the leap day is the last of its year
  // (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms").

  private static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = Int(Int64(shifted).flooredDivision(by: 400))
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func civil(days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = Int(Int64(shifted).flooredDivision(by: 146_097))
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthIndex = (5 * dayOfYear + 2) / 153
    let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthIndex + 2) / 5 + 1)
  }
}

extension Timestamp {
  /// Reads an HTTP date, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7), also with hyphens as in
  /// cookies.
  public init?(httpDate text: String) {
    let parts = text.split { $0 == " " || $0 == "-" }
    guard parts.count >= 5, let day = Int(parts[1]), (1...31).contains(day),
      let month = Self.months.firstIndex(of: parts[2].prefix(3).lowercased()), let year = Int(parts[3]),
      (1601...9999).contains(year), parts[4].utf8.count == 8
    else { return nil }
    let date = "\(year)-\(Self.twoDigits(month + 1))-\(Self.twoDigits(day))"
    self.init(text: "\(date)T\(parts[4])Z")
  }

  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
