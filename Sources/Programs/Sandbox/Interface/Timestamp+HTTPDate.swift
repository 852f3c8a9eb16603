import Time

extension Timestamp {
  private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The instant as HTTP dates it, RFC 9110 section 5.6.7.
  var httpDate: String {
    // 1 January 1970 was a Thursday.
    let weekday = Self.weekdays[seconds / 86_400 % 7]
    let parts = text.split { "-TZ".contains($0) }
    let month = Self.months[(Int(parts[1]) ?? 1) - 1]
    return "\(weekday), \(parts[2]) \(month) \(parts[0]) \(parts[3]) GMT"
  }
}
