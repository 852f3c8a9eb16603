public import Configuration
public import EventLoop

/// The active configuration; a reload replaces it.
@EventLoop
public final class Settings {
  public var current: Configuration

  /// The error that makes the file unusable; `nil` if there is none.
  ///
  /// With an error, `current` contains the settings of the valid lines, such as sockets and directories. The
  /// daemon then refuses most methods with this error.
  public var problem: ConfigurationError?

  /// True if the active settings are not those of the file as it is now.
  public let isOutdated: @EventLoop (Configuration) -> Bool

  /// `isOutdated` compares the given settings with the file; the default is for settings without a file.
  public nonisolated init(
    _ configuration: Configuration,
    problem: ConfigurationError? = nil,
    isOutdated: @escaping @EventLoop (Configuration) -> Bool = { _ in false }
  ) {
    (current, self.problem, self.isOutdated) = (configuration, problem, isOutdated)
  }
}
