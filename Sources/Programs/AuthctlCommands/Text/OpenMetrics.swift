internal import ControlAPI
internal import ControlClient
internal import Time

/// Writes the figures of the service in the text format of OpenMetrics 1.0.
///
/// The textfile collector of the node exporter reads this format too, because no sample has a time stamp.
enum OpenMetrics {
  private typealias Sample = (labels: SafeText, value: Int)

  private enum Kind: String {
    case gauge, counter
  }

  static func lines(_ figures: ServiceFigures) -> [SafeText] {
    let (requests, notifications) = (figures.requests, figures.notifications)
    let families: [[SafeText]] = [
      family("connections", .gauge, "Open connections.", figures.connections),
      family("requests", .counter, "Requests of clients since the start.", requests.total),
      family("request_errors", .counter, "Requests that ended in an error, by reason.", errors(requests)),
      family("owners", .gauge, "Users that have an authenticator.", figures.owners),
      family("pushes_pending", .gauge, "Pushes that wait for a decision.", notifications.pending),
      family("pushes", .counter, "Pushes that were ever stored.", notifications.total),
      family("approvals", .counter, "Pushes and codes that ended since the start.", endings(figures)),
      family("platform_reachable", .gauge, "1 if the last request reached the platform.", reached(figures)),
      family(
        "platform_last_contact_timestamp_seconds",
        .gauge,
        "Time of the last response of the platform.",
        contacts(figures)
      ),
      family(
        "last_backup_timestamp_seconds",
        .gauge,
        "Creation time of the newest backup.",
        figures.lastBackup.map { sample($0.seconds) } ?? []
      ),
      family("resident_memory_bytes", .gauge, "Resident memory of the process.", figures.residentBytes),
      family("open_files", .gauge, "Open files and sockets.", figures.openFiles),
      family("database_bytes", .gauge, "Size of the database without its WAL.", figures.databaseBytes),
      ["# EOF"],
    ]
    return families.flatMap(\.self)
  }

  /// The errors of a daemon that counts them by reason; otherwise their sum, without a label.
  private static func errors(_ requests: ServiceFigures.Requests) -> [Sample] {
    requests.reasons?.map { (label("reason", $0.reason), $0.count) } ?? sample(requests.errors)
  }

  private static func endings(_ figures: ServiceFigures) -> [Sample] {
    guard let approvals = figures.approvals else { return [] }
    return [
      (label("state", "approved"), approvals.approved), (label("state", "denied"), approvals.denied),
      (label("state", "expired"), approvals.expired), (label("state", "cancelled"), approvals.cancelled),
    ]
  }

  private static func reached(_ figures: ServiceFigures) -> [Sample] {
    (figures.platforms ?? []).compactMap { platform in
      platform.isReachable.map { (label("url", platform.url), $0 ? 1 : 0) }
    }
  }

  private static func contacts(_ figures: ServiceFigures) -> [Sample] {
    (figures.platforms ?? []).compactMap { platform in
      platform.lastContact.map { (label("url", platform.url), $0.seconds) }
    }
  }

  private static func sample(_ value: Int) -> [Sample] { [("", value)] }

  private static func label(_ name: SafeText, _ value: String) -> SafeText {
    let escaped = value.replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#)
    return "{\(name)=\"\(escaped)\"}"
  }

  private static func family(_ name: SafeText, _ kind: Kind, _ help: SafeText, _ value: Int) -> [SafeText] {
    family(name, kind, help, sample(value))
  }

  /// Returns the lines of a metric, or none without samples.
  private static func family(
    _ name: SafeText,
    _ kind: Kind,
    _ help: SafeText,
    _ samples: [Sample]
  ) -> [SafeText] {
    guard !samples.isEmpty else { return [] }
    let ending: SafeText = kind == .counter ? "_total" : ""
    return ["# TYPE mfad_\(name) \(kind.rawValue)", "# HELP mfad_\(name) \(help)"]
      + samples.map { "mfad_\(name)\(ending)\($0.labels) \($0.value)" }
  }
}
