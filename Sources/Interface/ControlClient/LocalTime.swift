internal import Glibc
package import Time

extension Timestamp {
  /// The instant by the clock on the person's wall, and how far that is from UTC: `2026-11-21 04:00:00 -05:00`.
  ///
  /// Programs read `text`, which is the same everywhere.
  package var localText: String {
    var (instant, local) = (time_t(seconds), tm())
    guard localtime_r(&instant, &local) != nil, (0...9999).contains(Int(local.tm_year) + 1900) else {
      return text
    }
    let minutes = local.tm_gmtoff / 60
    let date = [Int(local.tm_year) + 1900, Int(local.tm_mon) + 1, Int(local.tm_mday)]
    let time = [local.tm_hour, local.tm_min, local.tm_sec].map { Int($0) }
    let offset = [abs(minutes) / 60, abs(minutes) % 60]
    return Self.joined(date, "-") + " " + Self.joined(time, ":") + (minutes < 0 ? " -" : " +")
      + Self.joined(offset, ":")
  }

  private static func joined(_ numbers: [Int], _ separator: String) -> String {
    numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: separator)
  }
}

extension SafeText {
  /// A sentence of the daemon's for a person: the instants in it, which are in UTC, become the person's.
  package init(sentence: String) {
    let words = sentence.split(separator: " ", omittingEmptySubsequences: false).map { word -> SafeText in
      Timestamp(text: word).map { "\($0)" } ?? "\(word)"
    }
    self = words.joined(separator: " ")
  }
}
