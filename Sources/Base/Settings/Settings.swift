public import Configuration
public import EventLoop

/// The configuration in force; it is replaced when the file is read again.
@EventLoop
public final class Settings {
  public var current: Configuration

  /// What keeps the file from being used, if it could not be: then `current` is what of it is right, by which sockets and
  /// directories are named, and nothing is done but to tell so.
  public var problem: ConfigurationError?

  public nonisolated init(_ configuration: Configuration, problem: ConfigurationError? = nil) {
    (current, self.problem) = (configuration, problem)
  }
}
