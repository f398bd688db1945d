import CLive
import Glibc

/// Seconds on the clock that never jumps, from some point in the past.
public func monotonicSeconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
}

/// Seconds by which the time of day is ahead of the monotonic clock.
func wallClockLead() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9 - monotonicSeconds()
}

/// A plain thread: live threads block, and blocked tasks would fill Swift's pool.
final class PlainThread {
    private var thread = pthread_t()
    private var isJoined = false

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// - Parameter name: at most 15 bytes, as tools show it.
    init(_ name: String, _ run: @escaping @Sendable () -> Void) {
        let body = Unmanaged.passRetained(
            Body {
                clive_name_thread(name)
                run()
            })
        let code = pthread_create(
            &thread, nil,
            { opaque in
                if let opaque { Unmanaged<Body>.fromOpaque(opaque).takeRetainedValue().run() }
                return nil
            }, body.toOpaque())
        guard code == 0 else {
            body.release()
            isJoined = true
            return
        }
    }

    /// Waits for its end.
    func join() {
        guard !isJoined else { return }
        isJoined = true
        pthread_join(thread, nil)
    }

    /// Waits for its end until a moment of the monotonic clock; false where it goes on, and is left to itself.
    @discardableResult
    func join(until deadline: Double) -> Bool {
        guard !isJoined else { return true }
        isJoined = true
        if clive_join_thread(thread, max(0, deadline)) == 0 { return true }
        pthread_detach(thread)
        return false
    }
}

/// A lock and a signal to wait for, by the clock that never jumps.
// @unchecked: pthread's own objects are made for several threads.
final class Monitor: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func locked<R>(_ body: () -> R) -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    /// To be called while locked; false when the time has come without a signal. Nil waits for ever.
    func wait(until deadline: Double?) -> Bool {
        guard let deadline else { return pthread_cond_wait(condition, mutex) == 0 }
        guard deadline > monotonicSeconds() else { return false }
        var time = timespec()
        time.tv_sec = Int(deadline)
        time.tv_nsec = Int((deadline - Double(time.tv_sec)) * 1e9)
        return pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT
    }

    func signal() { pthread_cond_broadcast(condition) }
}

/// A queue between threads that never grows beyond its capacity: whoever is too slow loses what is oldest, and nobody
/// waits for him.
// @unchecked: everything that changes is touched under the monitor's lock only.
final class Inbox<Element: Sendable>: @unchecked Sendable {
    private let monitor = Monitor()
    private let capacity: Int
    private var items: [Element] = []
    private var urgent: [Element] = []
    private var isClosed = false

    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// Adds at the end; gives back what had to go for it.
    @discardableResult
    func put(_ element: Element) -> Element? {
        monitor.locked {
            guard !isClosed else { return element }
            items.append(element)
            monitor.signal()
            return items.count > capacity ? items.removeFirst() : nil
        }
    }

    /// Adds at the end once there is room; false where the queue was closed or the time has come.
    func putWaiting(_ element: Element, until deadline: Double?) -> Bool {
        monitor.locked {
            while !isClosed && items.count >= capacity {
                if !monitor.wait(until: deadline), let deadline, monotonicSeconds() >= deadline { return false }
            }
            guard !isClosed else { return false }
            items.append(element)
            monitor.signal()
            return true
        }
    }

    /// Adds something small that is never dropped and is taken before the rest.
    func putUrgent(_ element: Element) {
        monitor.locked {
            guard !isClosed else { return }
            urgent.append(element)
            monitor.signal()
        }
    }

    /// The next element; nil when the time has come, or when the queue is closed and empty.
    func take(until deadline: Double?) -> Element? {
        monitor.locked {
            while items.isEmpty && urgent.isEmpty && !isClosed {
                if !monitor.wait(until: deadline), let deadline, monotonicSeconds() >= deadline { return nil }
            }
            defer { monitor.signal() }
            if !urgent.isEmpty { return urgent.removeFirst() }
            return items.isEmpty ? nil : items.removeFirst()
        }
    }

    /// Nothing more comes in; what is in may still be taken.
    func close() {
        monitor.locked {
            isClosed = true
            monitor.signal()
        }
    }

    var isFinished: Bool { monitor.locked { isClosed && items.isEmpty && urgent.isEmpty } }
    /// Elements that wait, without the urgent ones.
    var count: Int { monitor.locked { items.count } }
}

/// A place for one thing, the newest: what wasn't taken in time is replaced.
// @unchecked: everything that changes is touched under the monitor's lock only.
final class NewestBox<Element: Sendable>: @unchecked Sendable {
    private let monitor = Monitor()
    private var item: Element?
    private var isClosed = false

    func put(_ element: Element) {
        monitor.locked {
            item = element
            monitor.signal()
        }
    }

    /// Waits for something new; nil once it is closed.
    func take() -> Element? {
        monitor.locked {
            while item == nil && !isClosed { _ = monitor.wait(until: nil) }
            defer { item = nil }
            return isClosed ? nil : item
        }
    }

    func close() {
        monitor.locked {
            isClosed = true
            monitor.signal()
        }
    }
}

/// A thread that nobody waits for: it ends with the program.
public enum LiveThread {
    public static func detach(_ name: String, _ run: @escaping @Sendable () -> Void) { _ = PlainThread(name, run) }
}
