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

  public nonisolated init(_ configuration: Configuration, problem: ConfigurationError? = nil) {
    (current, self.problem) = (configuration, problem)
  }
}
