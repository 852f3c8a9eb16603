internal import ControlAPI
internal import EventLoop
import Glibc
internal import JSON
internal import Machine
internal import Time

/// Measures the security posture of this machine on request, at most once a minute.
@EventLoop
final class PostureGauge {
  private let host: Host
  private let stateDirectory: String
  private let time: TimeSource
  private var known: (posture: JSON, written: RawJSON, until: Duration)?

  private static let life = Duration.seconds(60)

  init(stateDirectory: String, time: TimeSource, host: Host = Host()) {
    (self.host, self.time) = (host, time)
    self.stateDirectory = stateDirectory.hasPrefix("/") ? stateDirectory : "\(Self.here)/\(stateDirectory)"
  }

  /// The working directory.
  private static var here: String {
    guard let path = getcwd(nil, 0) else { return "" }
    defer { free(path) }
    return String(cString: path)
  }

  /// The posture, at most a minute old.
  var posture: JSON { measured.posture }

  /// The posture, serialized for replies.
  var writtenPosture: RawJSON { measured.written }

  private var measured: (posture: JSON, written: RawJSON) {
    let uptime = time.uptime()
    if let known, known.until > uptime { return (known.posture, known.written) }
    let posture = Posture(of: host, stateDirectory: stateDirectory).json
    let written = RawJSON(posture)
    known = (posture, written, uptime + Self.life)
    return (posture, written)
  }
}

extension Posture {
  /// The posture in the form that is sent to the platform.
  var json: JSON {
    [
      "os": [
        "id": .string(operatingSystem.id), "version": .string(operatingSystem.version),
        "kernel": .string(operatingSystem.kernel),
      ],
      "secureBoot": .string(secureBoot.rawValue),
      "diskEncryption": .string(diskEncryption.rawValue),
      "kernelLockdown": .string(kernelLockdown.rawValue),
      "programProtected": .string(programProtected.rawValue),
      "stateProtected": .string(stateProtected.rawValue),
    ]
  }
}
