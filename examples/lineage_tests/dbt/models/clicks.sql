select mail_hash, campaign, cast(clicked_at as date) as clicked_on
from {{ ref('raw_clicks') }}
where campaign is not null
