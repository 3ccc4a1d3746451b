//! The runtime of a door's thread.
//!
//! A door runs a tokio runtime of its thread and a port. Before the runtime
//! would go to sleep, and when it has slept, it drains the port, so completions
//! come in batches and on the thread that waits for them. The port's eventfd is registered with the
//! runtime, edge-triggered and never read: a worker writes it only when the
//! thread sleeps, and the write ends that sleep.
//!
//! A door with a loop of its own, without tokio, does the same by hand:
//! [`Port::enter`], and around each sleep [`Port::flush_wakeups`] and [`Port::after_poll`].

use std::future::Future;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::runtime::{Builder, LocalOptions, LocalRuntime, Runtime};

use super::{Handle, Port};
use crate::engine::EngineClass;
use crate::shell::bind;

/// A tokio runtime for the thread of a door. Each time before the thread sleeps
/// it takes the completions of its tasks.
pub struct DoorRuntime {
    // Before the runtime, whose driver it belongs to.
    _event: AsyncFd<OwnedFd>,
    runtime: LocalRuntime,
}

/// The same for the door of terminals. Other threads may spawn futures on it, and it is
/// built before its thread is.
pub struct TerminalRuntime {
    // Before the runtime, whose driver it belongs to.
    event: Option<AsyncFd<OwnedFd>>,
    runtime: Runtime,
    port: Option<Port>,
}

impl Handle {
    /// Makes the runtime of the thread of terminals. That thread receives the ends of
    /// tasks with a terminal; if all ports are taken, the dispatch thread does.
    ///
    /// # Errors
    /// The system has no descriptors left.
    pub fn terminal_runtime(&self, blocking_threads: usize) -> io::Result<TerminalRuntime> {
        let port = self.attach_port();
        let mut builder = Builder::new_current_thread();
        builder.enable_all().max_blocking_threads(blocking_threads);
        if let Some(Port { shared, number }) = port.clone() {
            let awake = shared.clone();
            builder
                .on_thread_park(move || shared.before_sleep(number))
                .on_thread_unpark(move || awake.after_sleep(number));
        }
        let runtime = builder.build()?;
        let event = port
            .as_ref()
            .map(|port| {
                let _inside = runtime.enter();
                let event = port.shared.page.event(port.number);
                let event = event.as_fd().try_clone_to_owned()?;
                // SAFETY: an owned descriptor, which stays open and the same.
                unsafe { AsyncFd::register_with_interest(event, Interest::READABLE) }
                    .map_err(io::Error::from)
            })
            .transpose()?;
        if let Some(port) = &port {
            self.shared.terminal_port.enter(port.number);
        }
        Ok(TerminalRuntime {
            event,
            runtime,
            port,
        })
    }
}

impl TerminalRuntime {
    /// Spawns futures on it.
    pub fn handle(&self) -> &tokio::runtime::Handle {
        self.runtime.handle()
    }

    /// Runs a future to its end on the calling thread.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    /// Ends the runtime without waiting for blocked threads. The dispatch thread receives the ends of tasks
    /// that still run.
    pub fn shutdown_background(self) {
        if let Some(port) = &self.port {
            port.shared.terminal_port.leave();
            port.shared.page.notify(0);
        }
        drop(self.event);
        self.runtime.shutdown_background();
    }
}

impl Port {
    /// Makes the runtime of a door's thread around this port, and binds the
    /// calling thread to the offload CPUs. Run it on this thread.
    pub fn runtime(&self) -> io::Result<DoorRuntime> {
        self.runtime_on(EngineClass::Offload)
    }

    /// The same for a thread that works for this kind of engine. Threads that a
    /// general one starts are general too.
    pub fn runtime_on(&self, class: EngineClass) -> io::Result<DoorRuntime> {
        self.bind_to(class)?;
        let (shared, number) = (self.shared.clone(), self.number);
        let awake = self.shared.clone();
        let runtime = Builder::new_current_thread()
            .enable_all()
            .on_thread_park(move || shared.before_sleep(number))
            .on_thread_unpark(move || awake.after_sleep(number))
            .build_local(LocalOptions::default())?;
        let event = {
            let _inside = runtime.enter();
            let event = self.shared.page.event(self.number);
            let event = event.as_fd().try_clone_to_owned()?;
            // SAFETY: an owned descriptor, which stays open and the same.
            unsafe { AsyncFd::register_with_interest(event, Interest::READABLE) }
                .map_err(io::Error::from)?
        };
        Ok(DoorRuntime {
            _event: event,
            runtime,
        })
    }

    /// Makes the calling thread this port's door, with a loop of its own, and
    /// binds it to the CPUs of this kind of engine.
    pub fn enter(&self, class: EngineClass) -> io::Result<()> {
        self.bind_to(class)?;
        self.shared.enter(self.number);
        Ok(())
    }

    /// The event that the loop waits for in addition to its own: edge-triggered, never read.
    pub fn event(&self) -> BorrowedFd<'_> {
        self.shared.page.event(self.number)
    }

    /// Before the loop would sleep: wakes the workers that it gave work, and
    /// takes the completions of tasks. Returns true when the loop may sleep until
    /// [`Port::event`]; otherwise futures may have been woken, and the loop calls
    /// this again when they have run. [`Port::after_poll`] follows a sleep.
    pub fn flush_wakeups(&self) -> bool {
        self.shared.flush_wakeups(self.number)
    }

    /// After the loop has slept: takes the completions that arrived meanwhile.
    pub fn after_poll(&self) {
        self.shared.after_sleep(self.number);
    }

    fn bind_to(&self, class: EngineClass) -> io::Result<()> {
        bind(match class {
            EngineClass::Offload => self.shared.offload.as_ref(),
            EngineClass::General => self.shared.general.as_ref(),
        })
    }

    /// Wakes the workers that the calling thread gave work, and takes the
    /// completions of tasks, though the thread does not sleep. A door that answers
    /// without a task calls this: as long as clients send the next request at
    /// once, the thread does not sleep, and no other call takes completions.
    pub fn poll_completions(&self) {
        self.shared.without_sleep(self.number);
    }
}

impl DoorRuntime {
    /// Runs a future to its end on the calling thread. `tokio::spawn` and
    /// `tokio::task::spawn_local` work inside, a `LocalSet` does not.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }
}
