select clicks.campaign, clicks.clicked_on, count(distinct clicks.mail_hash) as people, max(campaigns.budget) as budget
from {{ ref('clicks') }} as clicks
join {{ ref('raw_campaigns') }} as campaigns on campaigns.campaign = clicks.campaign
group by clicks.campaign, clicks.clicked_on
