//! Templates of logs: a header and a few rows to overwrite.

use super::schema::{POT_POSITION, SAFE_GOOD, Schema};

/// A log of shots with the words of `schema`.
#[must_use]
pub fn shots(schema: &Schema) -> String {
    let leave =
        |i: usize| schema.leaves.get(i).or(schema.leaves.first()).map_or("", String::as_str);
    let shot = |i: usize| schema.shot[(POT_POSITION + i) % schema.shot.len()].as_str();
    let safety = schema.safety[SAFE_GOOD].as_str();
    format!(
        "frame,shot,player,opponent,leave,call,result\n\
         1,1,ann,bob,{},shot,{}\n1,2,ann,bob,{},shot,{}\n1,3,bob,ann,{},safety,{safety}\n",
        leave(1),
        shot(0),
        leave(0),
        shot(3),
        leave(1),
    )
}

/// A log of shots with geometry in place of leaves.
#[must_use]
pub fn geometry(schema: &Schema) -> String {
    let shot = |i: usize| schema.shot[i].as_str();
    format!(
        "frame,shot,player,opponent,theta_deg,l_ob_mm,l_cb_mm,call,result\n\
         1,1,ann,bob,21.5,640,815,shot,{}\n1,2,ann,bob,48,1210,930,shot,{}\n\
         1,3,bob,ann,,,,safety,{}\n",
        shot(0),
        shot(3),
        schema.safety[SAFE_GOOD],
    )
}

/// A log of breaks with the words of `schema`.
#[must_use]
pub fn breaks(schema: &Schema) -> String {
    let outcome = |i: usize| schema.breaks.get(i).map_or("", |(id, _)| id.as_str());
    format!("frame,breaker,outcome\n1,ann,{}\n2,bob,{}\n", outcome(0), outcome(1))
}
