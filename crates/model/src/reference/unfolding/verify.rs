//! Checks an unfolding against the definitions.

use super::Unfolding;

impl<E> Unfolding<E> {
    /// Checks the axioms of the event structure, and that the visited configurations are its
    /// configurations.
    ///
    /// # Errors
    /// The violation: the dependence relation is wrong for the machine, or an event has two names.
    pub fn verify(&self) -> Result<(), String> {
        for (e, event) in self.events.iter().enumerate() {
            let label = &event.label;
            let local = self.local(e);
            if event.conflicts.meets(&local) {
                return Err(format!("{label} is in conflict with itself or with a cause"));
            }
            if self.configuration(&local).is_none() {
                return Err(format!(
                    "the causes of {label} do not suffice: {}",
                    self.show(&local)
                ));
            }
            if self.by_name(event.name) != Some(e) {
                return Err(format!("another event has the name of {label}"));
            }
            if event
                .conflicts
                .iter()
                .any(|other| !self.events[other].conflicts.contains(e))
            {
                return Err(format!("the conflicts of {label} are not symmetric"));
            }
        }
        for configuration in &self.configurations {
            let inside = &configuration.events;
            if !self.is_configuration(inside) {
                return Err(format!("no configuration: {}", self.show(inside)));
            }
            for (e, event) in self.events.iter().enumerate() {
                let extends =
                    !inside.contains(e) && event.causes.is_subset(inside) && !event.conflicts.meets(inside);
                if extends != configuration.enabled.contains(e) {
                    let does = if extends { "does not extend" } else { "extends" };
                    return Err(format!("{} {does} {}", event.label, self.show(inside)));
                }
            }
        }
        Ok(())
    }
}
