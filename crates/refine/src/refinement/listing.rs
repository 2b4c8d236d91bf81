//! Configurations are listed: few at first, and many after what takes less time.

use cfsm_core::system::System;

use super::{Asked, Refiner};
use crate::Property;
use crate::strategy::Strategy;

/// Configurations that are listed for one answer while there are other ways to try, which take less
/// time than listing many.
const FEW_CONFIGURATIONS: usize = 300;

impl<P: Property> Refiner<'_, P> {
    /// Whether configurations of a system may be listed.
    fn may_list(&self, system: &System) -> bool {
        system.order.is_some() && self.options.strategies.contains(&Strategy::Order) && self.is_open()
    }

    /// Lists configurations of a system that has been asked about, up to so many, if that is
    /// wanted.
    pub(super) fn look_in_order(&mut self, asked: &mut Asked<P::Outcome>, most: usize) {
        if !self.may_list(&asked.abstraction.system) {
            return;
        }
        let found = self.property.ask_in_order(&asked.abstraction.system, &asked.outcome, most);
        if let Some((settled, listed)) = found {
            let act = format!("{listed} configurations were listed, with messages in their order");
            self.keep_otherwise(Strategy::Order, asked, (settled, act));
        }
    }

    /// Lists few configurations of a system that has been asked about. It may be [listed
    /// further](Self::list_further) later.
    pub(super) fn list_few(&mut self, mut asked: Asked<P::Outcome>) {
        let most = self.options.configurations;
        self.look_in_order(&mut asked, FEW_CONFIGURATIONS.min(most));
        if most > FEW_CONFIGURATIONS && self.may_list(&asked.abstraction.system) {
            self.looked_at.push(asked);
        }
    }

    /// Lists more configurations of what has been [looked](Self::look) at, up to so many and no
    /// more than the options say, for each system. [`track`](Self::track) does it, too.
    pub fn list_further(&mut self, most: usize) {
        let most = most.min(self.options.configurations);
        if most > FEW_CONFIGURATIONS {
            let asked = std::mem::take(&mut self.looked_at);
            asked.into_iter().for_each(|mut asked| self.look_in_order(&mut asked, most));
        }
    }
}
