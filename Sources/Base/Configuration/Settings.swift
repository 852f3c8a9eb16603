package import EventLoop

/// The configuration in force; it is replaced when the file is read again.
@EventLoop
package final class Settings {
  package var current: Configuration

  package nonisolated init(_ configuration: Configuration) { current = configuration }
}
