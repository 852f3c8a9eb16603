/// What calls a handler once after a time; tests hand in one that goes by a clock of their own.
package typealias Delay = @EventLoop (Duration, @escaping @EventLoop () -> Void) -> Void
